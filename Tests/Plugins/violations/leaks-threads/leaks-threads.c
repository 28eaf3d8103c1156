/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a hundred threads, and returns success while they run. */
#include "../violation.h"

#include <pthread.h>

static void *stay(void *argument) {
    (void)argument;
    wait_for("never");
    return NULL;
}

RUN(run) {
    UNUSED, (void)host_error;
    int64_t started = 0;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, stay, NULL) == 0) started++;
    }
    note("started", started);
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.leaks-threads", run, NULL)
