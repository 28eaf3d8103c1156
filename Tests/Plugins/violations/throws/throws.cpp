// SPDX-License-Identifier: Apache-2.0
// Throws an exception out of its function, into code that is not C++.
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    throw 1;
}

MISDEED("org.curfew.violation.throws", run, NULL)
