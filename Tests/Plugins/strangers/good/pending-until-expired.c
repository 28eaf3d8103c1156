/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Leaves a slow task pending without any thread, and completes it in the expiration callback,
 * which may do so. Nothing of the plugin runs in between.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    return payload_is(&info, "slow") ? CURFEW_PENDING : CURFEW_OK;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK || !payload_is(&info, "slow")) return;
    char text[64];
    snprintf(text, sizeof text, "waited in vain; reason %d", (int)reason);
    api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT(text), NULL, 0);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, error);
}
