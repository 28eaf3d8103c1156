/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Waits on an atomic, which the expired callback changes and notifies.
 */
#include "stranger.h"

#include <atomic>
#include <memory>
#include <new>

namespace {

struct state {
    std::atomic<std::uint32_t> stops = 0;
    std::atomic_flag busy{};
};

curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    auto *state = static_cast<struct state *>(data);
    if (payload_is(&info, "slow")) {
        for (;;) {
            /* First the number, then the question: a callback between them changes the number. */
            const std::uint32_t seen = state->stops.load(std::memory_order_acquire);
            if (api->is_expired(api, task)) return failed(error, "told to stop");
            state->stops.wait(seen, std::memory_order_acquire);
        }
    }
    while (state->busy.test_and_set(std::memory_order_acquire)) state->busy.wait(true);
    state->busy.clear(std::memory_order_release);
    state->busy.notify_one();
    return CURFEW_OK;
}

void expired(void *data, const curfew_host_api *, curfew_task, curfew_reason) noexcept {
    auto *state = static_cast<struct state *>(data);
    state->stops.fetch_add(1, std::memory_order_release);
    state->stops.notify_all();
}

void retire(void *data) { delete static_cast<state *>(data); }

}  // namespace

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    std::unique_ptr<state> made(new (std::nothrow) state);
    if (made == nullptr) return failed(host_error, "no memory for the state");
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = made.get();
    handler.run = run;
    handler.expired = expired;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) return status;
    host_info->plugin_data = made.release();
    host_info->retire = retire;
    return CURFEW_OK;
}
