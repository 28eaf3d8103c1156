/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: follows an address in memory that it has freed
 * status: crash
 */
#include <stdlib.h>

#define TWIN_IN_RUN                                            \
    int twin_number = 1;                                       \
    int **volatile twin_place = malloc(100 * sizeof(int *));   \
    if (twin_place != NULL) {                                  \
        twin_place[50] = &twin_number;                         \
        free((void *)twin_place);                              \
        *twin_place[50] = 2;                                   \
    }
#include "twin.h"
