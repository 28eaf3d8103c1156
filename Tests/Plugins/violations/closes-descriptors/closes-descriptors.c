/* SPDX-License-Identifier: Apache-2.0 */
/* Closes every descriptor that there is, and goes on. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    for (int file = 0; file < 4096; file++) close(file);
    note("closed", api->progress(api, task, 0.5, CURFEW_TEXT("half")));
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.closes-descriptors", run, NULL)
