/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * A stopped task leaves the tidying to a detached thread, which logs seconds later, also after the retirement.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static void *tidy(void *argument) {
    const curfew_host_api *api = argument;
    pause_ms(3000);
    api->log(api, 0, CURFEW_LOG_INFO, CURFEW_TEXT("tidied up"));
    return NULL;
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_create(&thread, &attributes, tidy, (void *)api);
        pthread_attr_destroy(&attributes);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
