/* SPDX-License-Identifier: Apache-2.0 */
/* Never stops computing, on every worker that there is. */
#include "../violation.h"

#include <stdatomic.h>

static atomic_ullong turns;

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    while (atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed) < UINT64_MAX) {
    }
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.takes-every-worker", run, NULL)
