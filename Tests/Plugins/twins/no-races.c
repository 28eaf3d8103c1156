/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: counts on two threads, and lets none of them wait for the other
 */
#include <curfew/plugin.h>

static int twin_stops;

#define TWIN_IN_EXPIRED twin_stops++;
#define TWIN_IF_SLOW                                        \
    while (!api->is_expired(api, task)) {                   \
        twin_nap(1);                                        \
        if (twin_stops < 0) break;                          \
    }                                                       \
    for (int i = 0; i < 20; i++) {                          \
        twin_nap(1);                                        \
        if (twin_stops < 0) break;                          \
    }
#include "twin.h"
