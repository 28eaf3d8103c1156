/* SPDX-License-Identifier: Apache-2.0 */
/* Returns PENDING, and releases the reference with which it could complete its task. */
#include "../violation.h"

#include <pthread.h>

static const curfew_host_api *table;

static void *drop(void *argument) {
    const curfew_task task = (curfew_task)(uintptr_t)argument;
    note("begun", 0);
    wait_for("go");
    note("release", table->release(table, task));
    note("complete", table->complete(table, task, CURFEW_OK, NULL, 0, NULL, 0));
    return NULL;
}

RUN(run) {
    UNUSED, (void)host_error;
    table = api;
    pthread_t thread;
    if (pthread_create(&thread, NULL, drop, (void *)(uintptr_t)task) != 0) return CURFEW_FAILED;
    pthread_detach(thread);
    return CURFEW_PENDING;
}

MISDEED("org.curfew.violation.drops-its-task", run, NULL)
