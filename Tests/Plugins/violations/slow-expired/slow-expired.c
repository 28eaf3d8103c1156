/* SPDX-License-Identifier: Apache-2.0 */
/* Stops when it should, but keeps the thread that told it so: for a while, or for ever. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    wait_for("told");
    return CURFEW_OK;
}

EXPIRED(expired) {
    UNUSED, (void)reason;
    note("begun", 0);
    wait_for(form_is("for ever") ? "never" : "go");
    note("left", 0);
}

MISDEED("org.curfew.violation.slow-expired", run, expired)
