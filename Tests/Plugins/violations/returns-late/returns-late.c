/* SPDX-License-Identifier: Apache-2.0 */
/* Ignores its expiration, and returns success after its worker was lost. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

EXPIRED(expired) {
    UNUSED;
    note("expired", reason);
}

MISDEED("org.curfew.violation.returns-late", run, expired)
