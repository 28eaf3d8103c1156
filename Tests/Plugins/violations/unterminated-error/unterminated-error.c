/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the host's buffer for errors to its last byte, and overwrites what else stands there. */
#include "../violation.h"

static curfew_status fail(curfew_error *host_error) {
    memset(host_error, 'x', sizeof *host_error);
    return CURFEW_FAILED;
}

RUN(run) {
    UNUSED;
    note("begun", 0);
    wait_for("go");
    return fail(host_error);
}

MISDEED_ENTRY(
    if (form_is("entry")) return fail(host_error);
    return register_as(api, "org.curfew.violation.unterminated-error", run, NULL, host_error);)
