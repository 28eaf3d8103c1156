/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: answers that it stops, and goes on for seconds
 */
#define TWIN_IF_SLOW                                                                           \
    twin_wait(api, task);                                                                      \
    const bool is_budget = twin_reason(api, task) == CURFEW_REASON_BUDGET;                     \
    (void)api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("stopped"), NULL, 0);            \
    if (is_budget) twin_nap(2500);                                                             \
    return CURFEW_OK;
#include "twin.h"
