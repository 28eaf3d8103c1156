/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * Starts its watch with std::async, and never frees the future, whose destructor would wait for
 * it.
 */
#include "stranger.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

std::atomic<bool> over;

class State {
  public:
    State() {
        new std::future<void>(std::async(std::launch::async, [] {
            while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }));
    }

    curfew_status run(const curfew_host_api *api, curfew_task task, curfew_error *error) {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        if (payload_is(&info, "fail")) return failed(error, "asked to fail");
        if (payload_is(&info, "slow")) {
            while (!api->is_expired(api, task)) pause_ms(1);
            return failed(error, "told to stop");
        }
        return CURFEW_OK;
    }
};

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    auto *state = new State;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = state;
    handler.run = [](void *data, const curfew_host_api *host, curfew_task task,
                     curfew_error *problem) {
        return static_cast<State *>(data)->run(host, task, problem);
    };
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        delete state;
        return status;
    }
    info->plugin_data = state;
    info->retire = [](void *data) { delete static_cast<State *>(data); };
    return CURFEW_OK;
}
