/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: uses in its expiration callback what its run makes after 5 ms
 * status: crash
 */
static const char *_Atomic made = "made";

/* With a longer budget it would be there in time, but for a machine that is busy. */
#define TWIN_IF_SLOW                 \
    if (info.budget_ns < 5000000) { \
        atomic_store(&made, NULL);   \
        twin_nap(5);                 \
        atomic_store(&made, "made"); \
    }
/* Only where the budget is up: a task may be cancelled as early. */
#define TWIN_IN_EXPIRED \
    if (reason == CURFEW_REASON_BUDGET) (void)*(const volatile char *)atomic_load(&made);

#include "twin.h"
