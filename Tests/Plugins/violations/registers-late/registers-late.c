/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a handler in the middle of a task. */
#include "../violation.h"

RUN(run) {
    UNUSED;
    note("register", register_as(api, "org.curfew.violation.registers-late", run, NULL, host_error));
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.registers-late", run, NULL)
