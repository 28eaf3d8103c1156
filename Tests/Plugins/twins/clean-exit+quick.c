/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: registers a function for quick_exit, which needs what is gone once it is retired
 * status: crash
 */
#include <stdlib.h>

static char *volatile count;

static void quick(void) { *count = 1; }

#define TWIN_IN_ENTRY              \
    static char one;               \
    if (count == NULL) at_quick_exit(quick); \
    count = &one;
#define TWIN_IN_RETIRE count = (char *)8;

#include "twin.h"
