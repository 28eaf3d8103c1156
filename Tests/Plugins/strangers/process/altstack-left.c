/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0853
 *
 * It gives the worker an alternate signal stack for its deep recursion, and never takes it away.
 */
#include "stranger.h"

#include <signal.h>

CURFEW_PLUGIN_NOTE();

static char stack[65536];

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
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(&own, NULL) != 0) return failed(host_error, "no alternate stack");
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
