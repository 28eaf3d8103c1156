/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0831
 *
 * Returns early where the task has to fail, past the join of its helper thread: its destructor
 * calls std::terminate.
 */
#include "stranger.h"

#include <atomic>
#include <string>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    const std::string text = info.payload_bytes == 0
                                 ? std::string()
                                 : std::string(static_cast<const char *>(info.payload),
                                               info.payload_bytes);
    std::atomic<size_t> words{0};
    std::thread counter([&] {
        for (const char c : text) words += c == ' ';
    });
    if (text == "fail") return failed(error, "asked to fail");
    while (text == "slow" && !api->is_expired(api, task)) pause_ms(1);
    counter.join();
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
