/* SPDX-License-Identifier: Apache-2.0 */
/* Prints 8 MB on its standard output and as many on its standard error. */
#include "../violation.h"

static void print(int file) {
    static char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 8000; i++) {
        const ssize_t count = write(file, line, sizeof line);
        if (count != (ssize_t)sizeof line) note("cut", count);
    }
}

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    print(STDOUT_FILENO);
    print(STDERR_FILENO);
    note("printed", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.floods-output", run, NULL)
