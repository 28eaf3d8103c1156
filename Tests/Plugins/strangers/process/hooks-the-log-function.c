/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Replaces a function in the table of its host by its own, to see what is logged.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

typedef void (*log_function)(const curfew_host_api *, curfew_task, curfew_log_level, const char *,
                             uint64_t);

static log_function host_log;
static volatile unsigned lines;

static void counting_log(const curfew_host_api *api, curfew_task task, curfew_log_level level,
                         const char *text, uint64_t bytes) {
    lines++;
    host_log(api, task, level, text, bytes);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("begins"));
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    if (api->log != counting_log) {
        host_log = api->log;
        ((curfew_host_api *)(uintptr_t)api)->log = counting_log;
    }
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
