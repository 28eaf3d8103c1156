/* SPDX-License-Identifier: Apache-2.0 */
/* Raises an event its manifest does not declare, and a declared one with other parameters. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    const curfew_value number = {
        .struct_size = sizeof number, .type = CURFEW_TYPE_INT32, .integer = 1};
    note("undeclared", api->raise(api, task, "violation_shouted", NULL, 0));
    note("other types", api->raise(api, task, "violation_said", &number, 1));
    note("another's", api->raise(api, task, "good_step", &number, 1));
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.raises-undeclared", run, NULL)
