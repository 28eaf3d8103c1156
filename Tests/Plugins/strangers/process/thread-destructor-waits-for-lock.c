/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Waits for a lock in the destructor of its thread-local data; a failed task has left it locked.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t list_key;
static pthread_once_t list_once = PTHREAD_ONCE_INIT;

static void leave_list(void *entry) {
    (void)entry;
    pthread_mutex_lock(&list_lock);
    pthread_mutex_unlock(&list_lock);
}

static void make_list(void) { pthread_key_create(&list_key, leave_list); }

static curfew_status cb_run(void *ctx, const curfew_host_api *api, curfew_task t, curfew_error *e) {
    curfew_task_info ti = {.struct_size = sizeof(curfew_task_info)};
    curfew_status rc = CURFEW_OK;
    (void)ctx;

    if ((rc = api->task_info(api, t, &ti)) != CURFEW_OK) {
        failed(e, "cannot read the task");
        goto out;
    }
    pthread_once(&list_once, make_list);
    pthread_setspecific(list_key, &list_lock);
    if (payload_is(&ti, "slow")) {
        while (api->is_expired(api, t) == false) usleep(1000);
        rc = failed(e, "asked to stop");
        goto out;
    }
    if (payload_is(&ti, "fail")) {
        pthread_mutex_trylock(&list_lock);
        rc = failed(e, "failing on request");
        goto out;
    }
out:
    return rc;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *pi, curfew_error *e) {
    static const curfew_handler h = {.struct_size = sizeof(curfew_handler),
                                     .identifier = "org.example.stranger.work",
                                     .run = cb_run};
    pi->id = "org.example.stranger";
    return api->register_handler(api, &h, e);
}
