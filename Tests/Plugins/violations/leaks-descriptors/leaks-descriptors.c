/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files until the process has no descriptor left. */
#include "../violation.h"

#include <fcntl.h>
#include <sys/resource.h>

RUN(run) {
    UNUSED, (void)host_error;
    struct rlimit limit;
    hold_line();
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.leaks-descriptors", run, NULL)
