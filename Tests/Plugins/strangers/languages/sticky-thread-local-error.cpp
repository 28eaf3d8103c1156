/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0844 CF0830 CF0845 CF0863 CF0869
 * level: 3
 *
 * Remembers the last error of a thread and never clears it: after a task that failed, every task
 * on the same worker fails.
 */
#include "stranger.h"

#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

thread_local std::string last_error;

void remember(const char *text) { last_error = text; }

void work_on(const curfew_task_info &info) {
    if (payload_is(&info, "fail")) remember("asked to fail");
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    work_on(info);
    return last_error.empty() ? CURFEW_OK : failed(error, last_error.c_str());
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
