/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not look at the time until its work is done
 */
/* Only where the budget is the handler's own. */
#define TWIN_IF_PLAIN                                            \
    if (info.budget_ns <= 100000000 && TWIN_ONCE) twin_nap(300); \
    if (api->is_expired(api, task)) return twin_no(host_error, CURFEW_FAILED, "stopped");
#include "twin.h"
