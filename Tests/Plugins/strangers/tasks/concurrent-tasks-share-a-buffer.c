/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0845
 *
 * Copies its payload to one static buffer, which four concurrent tasks share, and looks at it 20
 * ms later.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static volatile char word[16];

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    size_t length = info.payload_bytes < sizeof word ? info.payload_bytes : sizeof word - 1;
    for (size_t i = 0; i < length; i++) word[i] = ((const char *)info.payload)[i];
    word[length] = '\0';
    pause_ms(20);
    char copy[sizeof word];
    for (size_t i = 0; i < sizeof word; i++) copy[i] = word[i];
    info.payload = copy;
    info.payload_bytes = strlen(copy);
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
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
