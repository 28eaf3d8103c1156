/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Lets four of its tasks run at the same time, which share one counter with a lock and
 * otherwise have their own state.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct shared {
    pthread_mutex_t lock;
    int now, most;
};

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct shared *shared = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    pthread_mutex_lock(&shared->lock);
    if (++shared->now > shared->most) shared->most = shared->now;
    pthread_mutex_unlock(&shared->lock);

    bool slow = payload_is(&info, "slow");
    for (int i = 0; (slow || i < 5) && !api->is_expired(api, task); i++) pause_ms(1);

    pthread_mutex_lock(&shared->lock);
    shared->now--;
    int most = shared->most;
    pthread_mutex_unlock(&shared->lock);
    if (api->is_expired(api, task)) return failed(error, "told to stop");
    return most >= 1 ? CURFEW_OK : failed(error, "nobody was here");
}

static void retire(void *data) {
    struct shared *shared = data;
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL) return failed(error, "no memory");
    pthread_mutex_init(&shared->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = shared,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        retire(shared);
        return status;
    }
    info->plugin_data = shared;
    info->retire = retire;
    return CURFEW_OK;
}
