/* SPDX-License-Identifier: Apache-2.0 */
/* Ignores its expiration and never returns. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("never");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.never-returns", run, NULL)
