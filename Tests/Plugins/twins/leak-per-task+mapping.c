/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: maps a page in each task, and keeps it
 * status: leak
 */
#include <sys/mman.h>

#define TWIN_IF_PLAIN                                                                          \
    if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)         \
        return twin_no(host_error, CURFEW_EXHAUSTED, "no memory");
#include "twin.h"
