/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0857 CF0861
 *
 * It diverts std::cout to a buffer of its own, which the retirement deletes without diverting it back.
 */
#include "stranger.h"

#include <iostream>
#include <sstream>
#include <new>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    std::stringbuf capture;
};

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
    std::cout.rdbuf(&state->capture);
    return status;
}
