/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * Leaves the cleaning up after a stopped task to a thread that waits for a signal nobody gives.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_clean = PTHREAD_COND_INITIALIZER;

static void *clean(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (pthread_cond_wait(&all_clean, &lock) == 0) continue;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        pthread_attr_t small;
        pthread_t cleaner;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 65536);
        pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
        pthread_create(&cleaner, &small, clean, NULL);
        pthread_attr_destroy(&small);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
