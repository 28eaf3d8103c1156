/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the host from its constructor, with the table of another plugin. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

__attribute__((constructor)) static void loaded(void) {
    if (line() == NULL) abort();
    const curfew_host_api *table = line()->table;
    curfew_task_info info = {.struct_size = sizeof info};
    note("register",
         register_as(table, "org.curfew.violation.calls-from-constructor", run, NULL, NULL));
    note("task_info", table->task_info(table, 1, &info));
    note("complete", table->complete(table, 1, CURFEW_OK, NULL, 0, NULL, 0));
    note("progress", table->progress(table, 1, 0.5, NULL, 0));
    note("raise", table->raise(table, 1, "violation_said", NULL, 0));
    table->log(table, 0, CURFEW_LOG_WARNING, CURFEW_TEXT("said too early"));
}

MISDEED("org.curfew.violation.calls-from-constructor", run, NULL)
