/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0837
 *
 * It keeps a reference during its work, and a failing task releases it twice.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (api->keep(api, task) != CURFEW_OK) return failed(host_error, "no reference");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        api->release(api, task);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        api->release(api, task);
        api->release(api, task);
        return failed(host_error, "asked to fail");
    }
    api->release(api, task);
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
