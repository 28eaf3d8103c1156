/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0829 CF0840 CF0841 CF0860
 *
 * The thread that does a long task throws when it is told to stop, and nothing catches that.
 */
#include "stranger.h"

#include <stdexcept>
#include <system_error>
#include <thread>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        try {
            std::thread thread([api, task] {
                while (!api->is_expired(api, task)) pause_ms(5);
                throw std::runtime_error("told to stop");
            });
            thread.join();
        } catch (const std::system_error &) {
            return failed(host_error, "no thread");
        }
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
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
