/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: loses 1 MiB each time a host loads it
 * status: leak
 */
#include <stdlib.h>

/* Kept in sight, or a compiler sees that nobody reads it. */
static void *volatile lost;

#define TWIN_IN_ENTRY        \
    lost = malloc(1 << 20);  \
    if (lost != NULL) memset(lost, 1, 1 << 20);
#include "twin.h"
