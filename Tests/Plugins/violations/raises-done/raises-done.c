/* SPDX-License-Identifier: Apache-2.0 */
/* Raises its own done event, which only the host may raise, and runs on. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    const curfew_value values[2] = {
        {.struct_size = sizeof values[0], .type = CURFEW_TYPE_BOOL, .integer = 1},
        {.struct_size = sizeof values[0], .type = CURFEW_TYPE_TEXT, .text = "", .text_bytes = 0}};
    note("raise", api->raise(api, task, "violation_done::", values, 2));
    note("begun", 0);
    wait_for("go");
    return CURFEW_FAILED;
}

MISDEED("org.curfew.violation.raises-done", run, NULL)
