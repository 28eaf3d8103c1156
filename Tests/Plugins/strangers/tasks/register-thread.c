/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0843 CF0820
 *
 * Its entry registers the handler from a thread of its own, which it then joins.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) return failed(host_error, "asked to fail");
    return CURFEW_OK;
}

struct setup {
    const curfew_host_api *api;
    curfew_error *host_error;
    curfew_status status;
};

static void *set_up(void *argument) {
    struct setup *setup = argument;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    setup->status = setup->api->register_handler(setup->api, &handler, setup->host_error);
    return NULL;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    struct setup setup = {.api = api, .host_error = host_error};
    pthread_t thread;
    if (pthread_create(&thread, NULL, set_up, &setup) != 0) return failed(host_error, "no thread");
    pthread_join(thread, NULL);
    return setup.status;
}
