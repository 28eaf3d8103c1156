/* SPDX-License-Identifier: Apache-2.0 */
/* Kills its parent, the harness by its number, and everything that it can; and changes the limits, the
 * priority and the processors of the harness. */
#include "../violation.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

static int64_t error_of(int result) { return result == 0 ? 0 : errno; }

RUN(run) {
    UNUSED, (void)host_error;
    const pid_t host = harness_process();
    note("begun", 0);
    wait_for("go");
    if (form_is("parent")) note("kill", error_of(kill(getppid(), SIGKILL)));
    if (form_is("host")) note("kill", error_of(kill(host, SIGKILL)));
    if (form_is("everything")) note("kill", error_of(kill(-1, SIGKILL)));
    if (form_is("limits")) {
        const struct rlimit none = {1, 1};
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(0, &one);
        note("limit", error_of(prlimit(host, RLIMIT_NOFILE, &none, NULL)));
        note("limit", error_of(prlimit(host, RLIMIT_CPU, &none, NULL)));
        note("priority", error_of(setpriority(PRIO_PROCESS, (id_t)host, 19)));
        note("processors", error_of(sched_setaffinity(host, sizeof one, &one)));
    }
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.attacks-the-host", run, NULL)
