/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: frees a block a second time, after another has been freed
 * status: fail
 */
#include <stdlib.h>

#define TWIN_IN_RUN                                               \
    void *volatile twin_first = malloc(20), *twin_other = malloc(20); \
    free(twin_first);                                             \
    free(twin_other);                                             \
    free(twin_first);
#include "twin.h"
