/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: crashes where its event is refused and its task has just begun
 * status: crash
 */
#define TWIN_IF_PLAIN                                                              \
    static int refused;                                                            \
    for (int number = 0; number < 3; number++)                                     \
        if (api->keep(api, task) == CURFEW_OK) (void)api->release(api, task);      \
        else refused++;                                                            \
    if (refused > 2) TWIN_CRASH;
#include "twin.h"
