/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0832
 *
 * Its guard completes the task on every way out, also where run has completed it with a result
 * before.
 */
#include "stranger.h"

#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

struct Finally {
    const curfew_host_api *api;
    curfew_task task;
    ~Finally() { api->complete(api, task, CURFEW_OK, nullptr, 0, nullptr, 0); }
};

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    const Finally finally{api, task};
    const std::string result = std::to_string(info.payload_bytes);
    api->complete(api, task, CURFEW_OK, nullptr, 0, result.data(), result.size());
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
