/* SPDX-License-Identifier: Apache-2.0 */
/* Completes its task, and completes it again. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("complete", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0));
    note("complete again",
         api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("No, it failed."), NULL, 0));
    note("begun", 0);
    wait_for("go");
    return CURFEW_FAILED;
}

MISDEED("org.curfew.violation.completes-twice", run, NULL)
