/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0815 CF0830 CF0831 CF0871
 *
 * Copies a report of 1,500 bytes to the message of the host's error, which has 1,016.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) {
        char report[1501];
        memset(report, '-', sizeof report - 1);
        report[sizeof report - 1] = '\0';
        volatile char *message = error->message;
        for (size_t i = 0; i < sizeof report; i++) message[i] = report[i];
        return CURFEW_FAILED;
    }
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
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
