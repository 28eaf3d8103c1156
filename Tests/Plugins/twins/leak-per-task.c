/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: loses 4 KiB with each task
 * status: leak
 */
#include <stdlib.h>

#define TWIN_IN_RUN                     \
    void *volatile lost = malloc(4096); \
    if (lost != NULL) memset(lost, 1, 4096);
#include "twin.h"
