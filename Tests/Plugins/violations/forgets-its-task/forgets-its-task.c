/* SPDX-License-Identifier: Apache-2.0 */
/* Says that its task goes on, and never thinks of it again. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    return CURFEW_PENDING;
}

MISDEED("org.curfew.violation.forgets-its-task", run, NULL)
