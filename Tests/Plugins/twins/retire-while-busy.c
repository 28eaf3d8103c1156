/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: goes on for three seconds when the host shuts down
 */
#define TWIN_IF_SLOW                                                   \
    twin_wait(api, task);                                              \
    if (twin_reason(api, task) == CURFEW_REASON_SHUTDOWN && TWIN_ONCE) \
        twin_nap(3000);
#include "twin.h"
