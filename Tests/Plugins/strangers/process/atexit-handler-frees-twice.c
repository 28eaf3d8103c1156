/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861
 *
 * Has a function called at the end of the process, which frees what retire has freed.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static char *log_line;

static void at_end(void) { free(log_line); }

static void retire(void *data) {
    (void)data;
    free(log_line);
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
    if (log_line == NULL) {
        log_line = malloc(2000);
        if (log_line == NULL) return failed(error, "no memory");
        snprintf(log_line, 2000, "%llu", (unsigned long long)info.payload_bytes);
        atexit(at_end);
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    info->retire = retire;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
