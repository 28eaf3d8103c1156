/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0824 CF0831
 *
 * Completes a failing task with the text of a std::string whose block has ended.
 */
#include "stranger.h"

#include <string>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    std::string_view problem;
    if (payload_is(&info, "fail")) {
        const std::string text = "the payload of task " + std::to_string(task) + " asks to fail";
        problem = text;
    }
    if (problem.empty()) return CURFEW_OK;
    api->complete(api, task, CURFEW_FAILED, problem.data(), problem.size(), nullptr, 0);
    return CURFEW_FAILED;
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
