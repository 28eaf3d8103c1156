/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0845
 * race: two tasks have to meet
 *
 * Builds the text of each task in one string, though its manifest allows eight tasks at a time.
 */
#include "stranger.h"

#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

std::string scratch;

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    scratch.clear();
    for (int line = 0; line < 2000; line++) scratch += "line " + std::to_string(line) + "\n";
    const size_t bytes = scratch.size();
    scratch.shrink_to_fit();
    return bytes == 18890 ? CURFEW_OK : failed(error, "the text has another length");
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
