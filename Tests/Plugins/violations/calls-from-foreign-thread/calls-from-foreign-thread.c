/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a thread of its own while it is loaded, which uses the table before there is a task, and
 * later does everything for the task that its function left behind. */
#include "../violation.h"

#include <pthread.h>
#include <stdatomic.h>

static const curfew_host_api *table;
static _Atomic curfew_task pending;

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error);

static void *work(void *argument) {
    (void)argument;
    const curfew_host_api *api = table;
    const curfew_value value = {
        .struct_size = sizeof value, .type = CURFEW_TYPE_TEXT, .text = "x", .text_bytes = 1};
    curfew_error error = {.struct_size = sizeof error};
    wait_for("loaded");
    note("register",
         register_as(api, "org.curfew.violation.calls-from-foreign-thread", run, NULL, &error));
    note("complete none", api->complete(api, 0, CURFEW_OK, NULL, 0, NULL, 0));
    note("complete another", api->complete(api, UINT64_MAX, CURFEW_OK, NULL, 0, NULL, 0));
    wait_for("launched");
    const curfew_task task = atomic_load(&pending);
    note("progress", api->progress(api, task, 0.5, CURFEW_TEXT("half")));
    note("raise", api->raise(api, task, "violation_said", &value, 1));
    note("keep", api->keep(api, task));
    note("release", api->release(api, task));
    api->log(api, task, CURFEW_LOG_CONTRACT_VIOLATION, CURFEW_TEXT("said from outside"));
    note("begun", 0);
    wait_for("go");
    note("complete", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0));
    return NULL;
}

RUN(run) {
    UNUSED, (void)host_error;
    atomic_store(&pending, task);
    note("pending", 0);
    return CURFEW_PENDING;
}

MISDEED_ENTRY(
    pthread_t thread;
    table = api;
    if (pthread_create(&thread, NULL, work, NULL) != 0) return CURFEW_FAILED;
    pthread_detach(thread);
    return register_as(api, "org.curfew.violation.calls-from-foreign-thread", run, NULL,
                       host_error);)
