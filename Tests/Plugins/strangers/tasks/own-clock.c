/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0841 CF0860
 *
 * It does not ask the host whether to stop but measures its budget itself, and so misses a cancellation.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    const uint64_t start = now_ns();
    if (payload_is(&info, "slow")) {
        while (now_ns() - start < info.budget_ns) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
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
