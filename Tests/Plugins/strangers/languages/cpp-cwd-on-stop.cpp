/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854
 *
 * It works in another directory, and a task that is stopped does not go back.
 */
#include "stranger.h"

#include <filesystem>
#include <new>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    std::error_code error;
    std::filesystem::path before;
    try {
        before = std::filesystem::current_path(error);
        if (!error) std::filesystem::current_path("/usr", error);
    } catch (const std::bad_alloc &) {
        return failed(host_error, "no memory");
    }
    if (error) return failed(host_error, "no directory to work in");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        std::filesystem::current_path(before, error);
        return failed(host_error, "asked to fail");
    }
    std::filesystem::current_path(before, error);
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
