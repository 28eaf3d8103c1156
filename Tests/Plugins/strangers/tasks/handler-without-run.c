/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0820
 *
 * Registers a handler whose run is NULL, because it picks the function by the kind of the machine
 * and knows none.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

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
static curfew_run_function pick(long processors) {
    return processors > 100000 ? run : NULL;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = pick(sysconf(_SC_NPROCESSORS_ONLN))};
    return api->register_handler(api, &handler, error);
}
