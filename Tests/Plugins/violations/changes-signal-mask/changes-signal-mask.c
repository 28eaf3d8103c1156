/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks signals on the thread that loads it. */
#include "../violation.h"

#include <signal.h>

static void change(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    note("mask", pthread_sigmask(SIG_BLOCK, &set, NULL));
}

MISDEED_AT_LOAD("org.curfew.violation.changes-signal-mask", change)
