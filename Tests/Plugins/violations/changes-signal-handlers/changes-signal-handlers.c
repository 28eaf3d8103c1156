/* SPDX-License-Identifier: Apache-2.0 */
/* Installs handlers for signals of the process. */
#include "../violation.h"

#include <signal.h>

static void taken(int signal) { (void)signal; }

static void change(void) {
    const struct sigaction own = {.sa_handler = taken, .sa_flags = SA_RESTART};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    note("SIGTERM", sigaction(SIGTERM, &own, NULL));
    note("SIGSEGV", sigaction(SIGSEGV, &own, NULL));
    note("SIGCHLD", sigaction(SIGCHLD, &ignored, NULL));
}

MISDEED_AT_LOAD("org.curfew.violation.changes-signal-handlers", change)
