/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the process: in its entry, or in the middle of a task. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    exit(7);
}

MISDEED_ENTRY(
    if (form_is("entry")) exit(7);
    return register_as(api, "org.curfew.violation.exits", run, NULL, host_error);)
