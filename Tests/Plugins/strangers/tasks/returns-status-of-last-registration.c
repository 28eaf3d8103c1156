/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0826
 *
 * Registers two handlers, and returns what the host answered to the second. Where only the first
 * is refused, the entry does not give the error back.
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
    return CURFEW_OK;
}

static const char *const identifiers[] = {"org.example.stranger.work",
                                          "org.example.stranger.rest"};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    curfew_status status = CURFEW_OK;
    (void)info;
    for (int i = 0; i < 2; i++) {
        const curfew_handler handler = {
            .struct_size = sizeof handler, .identifier = identifiers[i], .run = run};
        status = api->register_handler(api, &handler, i == 0 ? NULL : error);
        if (i == 0) status = CURFEW_OK;
    }
    return status;
}
