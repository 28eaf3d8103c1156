/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0822
 *
 * Puts its id together in a local std::string of the entry, which the host reads when that has
 * returned.
 */
#include "stranger.h"

#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->version = "1.0.0";
    const std::string id = std::string("org.example.") + (api->abi == 0 ? "stranger" : "other");
    info->id = id.c_str();
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
