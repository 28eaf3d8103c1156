/* SPDX-License-Identifier: Apache-2.0 */
/* Finds something that cannot be, and aborts. */
#include "../misdeed.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    abort();
}

MISDEED("org.curfew.misdeed.aborts", run, NULL)
