/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a process behind: forked twice, in a session of its own, blocking every signal, and with no
 * signal that tells it of the death of its parent. */
#include "../violation.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void stay(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    note("cleared", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0 ? 0 : errno);
    note("daemon", 0);
    for (;;) pause();
}

RUN(run) {
    UNUSED, (void)host_error;
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) stay();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    note("begun", 0);
    wait_for("go");
    if (form_is("crash")) abort();
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.leaves-a-daemon", run, NULL)
