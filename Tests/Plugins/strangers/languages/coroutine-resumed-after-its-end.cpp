/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Its generator does not suspend at its end, so that the frame frees itself; the loop asks the
 * dead frame whether it is done, and resumes it.
 */
#include "stranger.h"

#include <coroutine>
#include <exception>

CURFEW_PLUGIN_NOTE();

namespace {

struct Steps {
    struct promise_type {
        int step = 0;
        Steps get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int value) noexcept {
            step = value;
            return {};
        }
        void return_void() noexcept {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

Steps steps(uint64_t count) {
    for (uint64_t i = 0; i < count; i++) co_yield static_cast<int>(i);
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    const Steps all = steps(info.payload_bytes < 8 ? info.payload_bytes : 8);
    while (!all.handle.done()) {
        all.handle.resume();
        if (api->is_expired(api, task)) break;
    }
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
