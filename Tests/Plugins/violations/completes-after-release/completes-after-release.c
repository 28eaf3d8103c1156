/* SPDX-License-Identifier: Apache-2.0 */
/* Uses a task that is over after its last reference was released. */
#include "../violation.h"

#include <pthread.h>

static const curfew_host_api *table;

static void *finish(void *argument) {
    const curfew_task task = (curfew_task)(uintptr_t)argument;
    wait_for("complete");
    note("first", table->complete(table, task, CURFEW_OK, NULL, 0, NULL, 0));
    wait_for("go");
    note("complete", table->complete(table, task, CURFEW_OK, NULL, 0, NULL, 0));
    note("progress", table->progress(table, task, 0.5, NULL, 0));
    note("raise", table->raise(table, task, "violation_said", NULL, 0));
    note("keep", table->keep(table, task));
    note("release", table->release(table, task));
    curfew_task_info info = {.struct_size = sizeof info};
    note("task_info", table->task_info(table, task, &info));
    note("is_expired", table->is_expired(table, task));
    note("remaining_ns", (int64_t)table->remaining_ns(table, task));
    note("begun", 0);
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

MISDEED("org.curfew.violation.completes-after-release", run, NULL)
