/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: goes on for three seconds when it has lost a condition
 */
#define TWIN_IF_SLOW                                                    \
    twin_wait(api, task);                                               \
    if (twin_reason(api, task) == CURFEW_REASON_CONDITION && TWIN_ONCE) \
        twin_nap(3000);
#include "twin.h"
