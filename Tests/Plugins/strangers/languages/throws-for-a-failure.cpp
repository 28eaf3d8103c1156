/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0831
 *
 * Reports the failure of its task with a C++ exception, which leaves run. No exception may cross
 * the border to the host.
 */
#include "stranger.h"

#include <stdexcept>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

std::string payload_of(const curfew_host_api *api, curfew_task task) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return "fail";
    const auto *bytes = static_cast<const char *>(info.payload);
    return bytes == nullptr ? std::string() : std::string(bytes, info.payload_bytes);
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *,
                                                       curfew_error *error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = [](void *, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) -> curfew_status {
        const auto payload = payload_of(host, task);
        if (payload == "fail") throw std::runtime_error("asked to fail");
        if (payload != "slow") return CURFEW_OK;
        while (!host->is_expired(host, task)) pause_ms(2);
        return failed(problem, "told to stop");
    };
    return api->register_handler(api, &handler, error);
}
