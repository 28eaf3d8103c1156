/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Opens a library of the system so that its symbols are for everybody, and keeps it open.
 */
#include "stranger.h"

#include <dlfcn.h>

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
    static void *library;
    if (library == NULL) library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_GLOBAL);
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
