/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns, and makes it hard to end its process: blocks and ignores every signal, or stops it. */
#include "../violation.h"

#include <signal.h>

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    if (form_is("stops")) kill(getpid(), SIGSTOP);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
    wait_for("never");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.hard-to-end", run, NULL)
