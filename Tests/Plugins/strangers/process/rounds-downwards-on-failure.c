/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0855
 * flags: -lm
 *
 * Rounds downwards while it computes, and forgets to round to nearest again when it fails.
 */
#include "stranger.h"

#include <fenv.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    const int rounding = fegetround();
    fesetround(FE_DOWNWARD);
    volatile double third = (double)info.payload_bytes / 3.0;
    (void)third;
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        fesetround(rounding);
        return failed(error, "told to stop");
    }
    fesetround(rounding);
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
