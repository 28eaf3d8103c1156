/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has a buffer in thread-local storage, which every worker of every host gets for itself.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static __thread char scratch[4096];
static __thread unsigned long uses;

static curfew_status work(const curfew_task_info *info, curfew_error *error) {
    size_t count = sizeof scratch;
    if (info->payload_bytes < count) count = (size_t)info->payload_bytes;
    memset(scratch, 0, sizeof scratch);
    if (count > 0) memcpy(scratch, info->payload, count);
    uses++;
    if (count > 0 && memcmp(scratch, info->payload, count) != 0)
        return failed(error, "somebody else writes to the buffer of this thread");
    return uses > 0 ? CURFEW_OK : failed(error, "never used");
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
    return work(&info, error);
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
