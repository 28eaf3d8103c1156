/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not free what it has made for a handler that the host refuses
 * status: leak
 */
#include <stdlib.h>

static char *volatile made;

#define TWIN_REGISTERED                             \
    if (answer != CURFEW_OK) {                      \
        made = malloc(64 << 10);                    \
        if (made != NULL) memset(made, 1, 64 << 10); \
    }
#include "twin.h"
