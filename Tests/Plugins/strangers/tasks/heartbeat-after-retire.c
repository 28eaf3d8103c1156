/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * Logs a heartbeat from a thread of its own, which learns only a second later that the plugin was
 * retired.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct heart {
    const curfew_host_api *api;
    _Atomic bool stop;
};

static void *beat(void *argument) {
    struct heart *heart = argument;
    while (!heart->stop) {
        heart->api->log(heart->api, 0, CURFEW_LOG_DEBUG, CURFEW_TEXT("alive"));
        pause_ms(1500);
    }
    free(heart);
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
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

static void retire(void *data) {
    struct heart *heart = data;
    heart->stop = true;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) return status;
    struct heart *heart = calloc(1, sizeof *heart);
    pthread_t thread;
    if (heart == NULL) return failed(error, "no memory");
    heart->api = api;
    if (pthread_create(&thread, NULL, beat, heart) != 0) {
        free(heart);
        return failed(error, "no thread");
    }
    pthread_detach(thread);
    info->plugin_data = heart;
    info->retire = retire;
    return CURFEW_OK;
}
