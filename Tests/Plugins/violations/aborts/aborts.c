/* SPDX-License-Identifier: Apache-2.0 */
/* Calls abort. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    abort();
}

MISDEED("org.curfew.violation.aborts", run, NULL)
