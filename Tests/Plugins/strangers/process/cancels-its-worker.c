/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Cancels its worker in the expiration callback, to get it out of its sleep.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static _Atomic(pthread_t) sleeper;

static void cancel(void *data, const curfew_host_api *api, curfew_task task, curfew_reason why) {
    (void)data, (void)api, (void)task, (void)why;
    const pthread_t thread = sleeper;
    if (thread != 0) pthread_cancel(thread);
}

static curfew_status sleep_long(curfew_error *error) {
    sleeper = pthread_self();
    for (int i = 0; i < 600; i++) pause_ms(100);
    sleeper = 0;
    return failed(error, "slept too long");
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    return payload_is(&info, "slow") ? sleep_long(error) : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    (void)info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run,
                                    .expired = cancel};
    return api->register_handler(api, &handler, error);
}
