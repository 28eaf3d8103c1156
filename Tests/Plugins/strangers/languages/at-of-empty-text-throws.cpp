/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Looks at the first character with at(), which throws out of run where the payload is empty.
 */
#include "stranger.h"

#include <string_view>

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

    const std::string_view text(static_cast<const char *>(info.payload), info.payload_bytes);
    const bool comment = text.at(0) == '#';
    api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT(comment ? "a comment" : "a line"));
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
