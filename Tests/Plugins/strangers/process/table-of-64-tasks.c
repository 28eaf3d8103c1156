/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * level: 3
 *
 * Keeps a table of its last tasks that has room for 64, and never begins from the start: what
 * lies behind it is the function to be called.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static size_t always_done(void) { return 0; }

static struct {
    uint64_t tasks[64];
    size_t (*volatile after)(void);
    size_t count;
} history = {.after = always_done};

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
    ((volatile uint64_t *)history.tasks)[history.count++] = info.payload_bytes + 1;
    if (history.after() != 0) return failed(error, "not done");
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
