/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: says success when its time is long up
 */
/* Only where the budget is the handler's own. */
#define TWIN_IF_PLAIN if (info.budget_ns <= 100000000 && TWIN_ONCE) twin_nap(300);
#include "twin.h"
