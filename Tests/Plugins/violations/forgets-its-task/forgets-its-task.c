/* SPDX-License-Identifier: Apache-2.0 */
/* Returns PENDING, and never completes its task. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    return CURFEW_PENDING;
}

MISDEED("org.curfew.violation.forgets-its-task", run, NULL)
