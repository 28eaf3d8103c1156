/* SPDX-License-Identifier: Apache-2.0 */
/* Does in its expiration callback what can be done to a task, and waits there for its function. */
#include "../violation.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_told, is_leaving;

static void set(bool *flag) {
    pthread_mutex_lock(&lock);
    *flag = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until(const bool *flag) {
    pthread_mutex_lock(&lock);
    while (!*flag) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

RUN(run) {
    UNUSED, (void)host_error;
    wait_until(&is_told);
    wait_for("go");
    set(&is_leaving);
    return CURFEW_OK;
}

EXPIRED(expired) {
    UNUSED;
    const curfew_value value = {
        .struct_size = sizeof value, .type = CURFEW_TYPE_TEXT, .text = "x", .text_bytes = 1};
    curfew_task_info info = {.struct_size = sizeof info};
    note("task_info", api->task_info(api, task, &info));
    note("reason", info.reason);
    note("is_expired", api->is_expired(api, task));
    note("keep", api->keep(api, task));
    note("progress", api->progress(api, task, 0.5, CURFEW_TEXT("half")));
    note("raise", api->raise(api, task, "violation_said", &value, 1));
    note("register", register_as(api, "org.curfew.violation.reentrant-expired", run, NULL, NULL));
    note("complete", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0));
    note("complete again", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0));
    note("progress after", api->progress(api, task, 1, NULL, 0));
    note("release", api->release(api, task));
    note("release again", api->release(api, task));
    (void)reason;
    set(&is_told);
    note("begun", 0);
    wait_until(&is_leaving);
    note("left", 0);
}

MISDEED("org.curfew.violation.reentrant-expired", run, expired)
