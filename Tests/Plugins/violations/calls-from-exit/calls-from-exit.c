/* SPDX-License-Identifier: Apache-2.0 */
/* Completes its task when the process ends, once in an exit handler and once in a destructor. */
#include "../violation.h"

static const curfew_host_api *table;
static curfew_task pending;

static void at_exit(void) {
    table->log(table, pending, CURFEW_LOG_WARNING, CURFEW_TEXT("said at exit"));
    note("at exit", table->complete(table, pending, CURFEW_OK, NULL, 0, NULL, 0));
}

__attribute__((destructor)) static void destructed(void) {
    if (table == NULL) return;
    note("destructor", table->complete(table, pending, CURFEW_OK, NULL, 0, NULL, 0));
}

RUN(run) {
    UNUSED, (void)host_error;
    pending = task;
    note("begun", 0);
    return CURFEW_PENDING;
}

MISDEED_ENTRY(
    table = api;
    if (atexit(at_exit) != 0) return CURFEW_FAILED;
    return register_as(api, "org.curfew.violation.calls-from-exit", run, NULL, host_error);)
