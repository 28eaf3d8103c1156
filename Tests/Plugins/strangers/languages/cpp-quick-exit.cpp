/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0829
 *
 * A failing task ends the process with std::quick_exit, as its author knows it from a program.
 */
#include "stranger.h"

#include <cstdlib>

CURFEW_PLUGIN_NOTE();

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
        api->log(api, task, CURFEW_LOG_ERROR, CURFEW_TEXT("fatal: asked to fail"));
        std::quick_exit(2);
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
