/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: keeps the host's thread on one processor
 */
#include <sched.h>

#define TWIN_IN_RUN                                       \
    cpu_set_t one;                                        \
    CPU_ZERO(&one);                                       \
    CPU_SET(sched_getcpu(), &one);                        \
    sched_setaffinity(0, sizeof one, &one);
#include "twin.h"
