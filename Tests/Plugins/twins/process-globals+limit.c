/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: lowers a limit of the process
 */
#include <sys/resource.h>

#define TWIN_IN_RUN                                           \
    struct rlimit limit;                                      \
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && TWIN_ONCE) { \
        limit.rlim_cur--;                                     \
        setrlimit(RLIMIT_NOFILE, &limit);                     \
    }

#include "twin.h"
