/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: crashes where some of its references are refused, and others are not
 * status: crash
 */
#define TWIN_IF_PLAIN                                                              \
    int refused = 0;                                                            \
    for (int number = 0; number < 3; number++)                                     \
        if (api->keep(api, task) == CURFEW_OK) (void)api->release(api, task);      \
        else refused++;                                                            \
    if (refused == 1 || refused == 2) TWIN_CRASH;
#include "twin.h"
