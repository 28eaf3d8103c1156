/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: adds to a number in memory that it has freed
 * status: fail
 */
#include <stdlib.h>

#define TWIN_IN_RUN                                      \
    long *volatile twin_sums = malloc(20 * sizeof(long)); \
    if (twin_sums != NULL) {                             \
        twin_sums[7] = 1;                                \
        free(twin_sums);                                 \
        twin_sums[7]++;                                  \
    }
#include "twin.h"
