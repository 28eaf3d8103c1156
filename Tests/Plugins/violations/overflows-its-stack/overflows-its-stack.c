/* SPDX-License-Identifier: Apache-2.0 */
/* Calls itself until its stack is full. */
#include "../violation.h"

static volatile bool is_deep_enough;

__attribute__((noinline)) static int deeper(const volatile char *above) {
    volatile char frame[4096];
    frame[0] = above[0];
    return is_deep_enough ? 0 : deeper(frame) + frame[0];
}

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    return deeper("") == 0 ? CURFEW_OK : CURFEW_FAILED;
}

MISDEED("org.curfew.violation.overflows-its-stack", run, NULL)
