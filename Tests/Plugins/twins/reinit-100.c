/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: loses 1 MiB each time a host loads it
 */
#include <stdlib.h>

#define TWIN_IN_ENTRY                      \
    void *volatile lost = malloc(1 << 20); \
    if (lost != NULL) memset(lost, 1, 1 << 20);
#include "twin.h"
