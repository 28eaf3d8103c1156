/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Breaks dates down with localtime_r and gmtime_r and formats them with strftime, in whatever
 * zone the process is.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *error) {
    time_t now = time(NULL);
    for (int day = 0; day < 60; day++) {
        time_t date = now + day * 86400;
        struct tm here, there;
        char text[64];
        if (localtime_r(&date, &here) == NULL || gmtime_r(&date, &there) == NULL)
            return failed(error, "no such date");
        if (strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &here) == 0)
            return failed(error, "the date is too long");
        if (timegm(&there) != date) return failed(error, "the date is another one");
    }
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(error);
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
