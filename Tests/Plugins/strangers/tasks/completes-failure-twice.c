/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0832
 *
 * Completes a failing task where it fails, and again where it cleans up.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status clean_up(const curfew_host_api *api, curfew_task task) {
    api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("cleaned up"), NULL, 0);
    return CURFEW_FAILED;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) {
        api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("asked to fail"), NULL, 0);
        return clean_up(api, task);
    }
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
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
