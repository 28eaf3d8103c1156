/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0850
 *
 * Decodes its payload where it is, and encodes it again when it is done. The payload is the
 * host's.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

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
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)info.payload;
    for (uint64_t i = 0; i < info.payload_bytes; i++) bytes[i] ^= 0x5a;
    for (uint64_t i = 0; i < info.payload_bytes; i++) bytes[i] ^= 0x5a;
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
