/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0845 CF0876
 *
 * Tasks that may run at the same time share one static buffer, and fail where another has written to it.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static char scratch[32];

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    char own[32];
    snprintf(own, sizeof own, "%llu", (unsigned long long)task);
    snprintf(scratch, sizeof scratch, "%s", own);
    pause_ms(20);
    if (strcmp(scratch, own) != 0) return failed(host_error, "the scratch buffer is damaged");
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
