/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854
 *
 * Sets TZ for its error message, so that times of the whole process are in another zone.
 */
#include "stranger.h"

#include <ctime>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

std::string now_in_utc() {
    setenv("TZ", "UTC0", 1);
    tzset();
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[64];
    return std::string(text, std::strftime(text, sizeof text, "%FT%T", localtime_r(&now, &parts)));
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, ("failed at " + now_in_utc()).c_str());
    while (payload_is(&info, "slow") && !api->is_expired(api, task)) pause_ms(1);
    return CURFEW_OK;
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
