/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861 CF0847
 *
 * A thread-local object of the loading thread reads, when that ends, what the retirement has deleted.
 */
#include "stranger.h"

#include <string>
#include <new>

CURFEW_PLUGIN_NOTE();

namespace {

struct Shared {
    int sessions = 0;
    std::string name = "stranger";
};

Shared *volatile shared;

struct Session {
    bool open = false;
    ~Session() {
        if (open) shared->sessions = shared->sessions - 1;
    }
};

thread_local Session session;

}  // namespace

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
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
    (void)plugin_data;
    delete shared;
    shared = nullptr;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    if (shared == nullptr) shared = new (std::nothrow) Shared;
    if (shared == nullptr) return failed(host_error, "no memory");
    session.open = true;
    shared->sessions = shared->sessions + 1;
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    host_info->retire = retire;
    return status;
}
