/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Frees the handler data after the handler is registered, taking it for copied. The host copies
 * the struct and the identifier, and passes the pointer on.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

struct settings {
    const char *unit;
    int step_ms;
};

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    const struct settings *settings = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    if (strcmp(settings->unit, "files") != 0) return failed(error, "unknown unit");
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct settings *settings = malloc(sizeof *settings);
    if (settings == NULL) return failed(error, "no memory");
    *settings = (struct settings){"files", 2};
    info->version = "1.0.0";
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = settings,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    free(settings);
    return status;
}
