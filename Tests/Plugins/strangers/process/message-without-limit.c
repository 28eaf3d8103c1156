/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833 CF0815 CF0816
 *
 * Writes its payload into the message of a failure, whatever its length.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static __attribute__((noinline)) void explain(char *to, const curfew_task_info *info) {
    const char *from = info->payload;
    char *volatile out = to + sprintf(to, "too long to work on: ");
    for (uint64_t i = 0; i < info->payload_bytes; i++) *out++ = from[i] >= ' ' ? from[i] : '?';
    *out = '\0';
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
    if (info.payload_bytes > 500) {
        explain(error->message, &info);
        return CURFEW_FAILED;
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
