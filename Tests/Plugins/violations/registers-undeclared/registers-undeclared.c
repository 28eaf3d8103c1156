/* SPDX-License-Identifier: Apache-2.0 */
/* Registers more than its manifest declares. The form `insists` says so to the host; the other one
 * keeps it to itself and goes on. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED_ENTRY(
    const curfew_status more =
        register_as(api, "org.curfew.violation.undeclared", run, NULL, host_error);
    note("register", more);
    if (form_is("insists")) return more;
    return register_as(api, "org.curfew.violation.registers-undeclared", run, NULL, host_error);)
