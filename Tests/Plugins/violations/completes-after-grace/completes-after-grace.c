/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves its task to a thread that completes it when its grace is over. */
#include "../violation.h"

#include <pthread.h>

static const curfew_host_api *table;

static void *finish(void *argument) {
    const curfew_task task = (curfew_task)(uintptr_t)argument;
    note("begun", 0);
    wait_for("go");
    note("complete", table->complete(table, task, CURFEW_OK, NULL, 0, NULL, 0));
    return NULL;
}

RUN(run) {
    UNUSED, (void)host_error;
    table = api;
    pthread_t thread;
    if (pthread_create(&thread, NULL, finish, (void *)(uintptr_t)task) != 0) return CURFEW_FAILED;
    pthread_detach(thread);
    return CURFEW_PENDING;
}

MISDEED("org.curfew.violation.completes-after-grace", run, NULL)
