/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0839 CF0840 CF0841 CF0860
 *
 * A long task holds the lock that its expiration callback needs to tell it to stop.
 */
#include "stranger.h"

#include <mutex>
#include <new>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    std::mutex lock;
    curfew_task stopped = 0;
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = static_cast<struct state *>(handler_data);
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        (void)api;
        const std::lock_guard<std::mutex> hold(state->lock);
        while (*static_cast<volatile curfew_task *>(&state->stopped) != task) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    auto *state = static_cast<struct state *>(handler_data);
    (void)api;
    (void)reason;
    const std::lock_guard<std::mutex> hold(state->lock);
    state->stopped = task;
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
    handler.expired = expired;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        delete state;
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return status;
}
