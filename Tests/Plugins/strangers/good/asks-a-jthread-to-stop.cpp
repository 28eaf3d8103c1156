/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts a std::jthread that runs until its stop token is set, with a stop callback, and leaves
 * the scope.
 */
#include "stranger.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::atomic<std::size_t> seen{0};
    std::mutex lock;
    std::condition_variable_any changed;
    {
        std::jthread worker([&](std::stop_token stop) {
            std::stop_callback note(stop, [&] { seen.fetch_add(1); });
            std::unique_lock guard(lock);
            changed.wait(guard, stop, [] { return false; });
            seen.fetch_add(payload.size());
        });
        pause_ms(1);
    }
    return seen.load() >= payload.size();
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    try {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        const std::string_view payload(static_cast<const char *>(info.payload),
                                       info.payload_bytes);
        if (payload == "fail") return failed(error, "asked to fail");
        while (payload == "slow") {
            if (api->is_expired(api, task)) return failed(error, "told to stop");
            pause_ms(1);
        }
        return compute(payload) ? CURFEW_OK : failed(error, "it came out differently");
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    } catch (...) {
        return failed(error, "something was thrown");
    }
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
