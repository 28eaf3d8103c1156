/* SPDX-License-Identifier: Apache-2.0 */
/* Completes its task with success after it was told to stop. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    note("complete", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0));
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.completes-in-grace", run, NULL)
