/* SPDX-License-Identifier: Apache-2.0 */
/* Has a thread that uses the table after the host was destroyed, with or without a reference. */
#include "../violation.h"

#include <pthread.h>

static const curfew_host_api *table;
static curfew_task kept;

RUN(run) {
    UNUSED, (void)host_error;
    kept = task;
    if (form_is("keeps")) note("keep", api->keep(api, task));
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

static void *work(void *argument) {
    (void)argument;
    const curfew_host_api *api = table;
    const curfew_value value = {
        .struct_size = sizeof value, .type = CURFEW_TYPE_TEXT, .text = "x", .text_bytes = 1};
    curfew_task_info info = {.struct_size = sizeof info};
    wait_for("gone");
    note("register", register_as(api, "org.curfew.violation.late", run, NULL, NULL));
    note("task_info", api->task_info(api, kept, &info));
    note("is_expired", api->is_expired(api, kept));
    note("remaining_ns", (int64_t)api->remaining_ns(api, kept));
    note("progress", api->progress(api, kept, 0.5, NULL, 0));
    note("raise", api->raise(api, kept, "violation_said", &value, 1));
    note("complete", api->complete(api, kept, CURFEW_OK, NULL, 0, NULL, 0));
    note("keep again", api->keep(api, kept));
    note("release", api->release(api, kept));
    api->log(api, kept, CURFEW_LOG_ERROR, CURFEW_TEXT("said to nobody"));
    note("done", 0);
    return NULL;
}

static void retire(void *plugin_data) {
    (void)plugin_data;
    note("retired", 0);
}

MISDEED_ENTRY(
    pthread_t thread;
    table = api;
    host_info->retire = retire;
    if (pthread_create(&thread, NULL, work, NULL) != 0) return CURFEW_FAILED;
    pthread_detach(thread);
    return register_as(api, "org.curfew.violation.calls-after-retirement", run, NULL, host_error);)
