/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes to where a block was before it grew
 * status: fail
 */
#include <stdlib.h>

#define TWIN_IN_RUN                                                            \
    long *volatile twin_before = malloc(3 * sizeof(long)), *volatile twin_after; \
    twin_after = realloc(twin_before, 300 * sizeof(long));                     \
    if (twin_before != NULL && twin_after != NULL) twin_before[1] = 5;         \
    free(twin_after);
#include "twin.h"
