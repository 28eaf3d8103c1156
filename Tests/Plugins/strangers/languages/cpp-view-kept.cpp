/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0848
 *
 * It remembers the last payload as a string_view, and compares the next one with it.
 */
#include "stranger.h"

#include <mutex>
#include <string_view>
#include <new>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    std::mutex lock;
    std::string_view last;
    int repeated = 0;
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = static_cast<struct state *>(handler_data);
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    {
        const std::string_view now(static_cast<const char *>(info.payload), info.payload_bytes);
        const std::lock_guard<std::mutex> hold(state->lock);
        if (now == state->last) state->repeated++;
        state->last = now;
    }
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

static void retire(void *plugin_data) {
    struct state *state = static_cast<struct state *>(plugin_data);
    delete state;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = new (std::nothrow) struct state();
    if (state == nullptr) return failed(host_error, "no memory");
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    handler.handler_data = state;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        delete state;
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return status;
}
