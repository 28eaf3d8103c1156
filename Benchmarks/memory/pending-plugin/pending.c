/* SPDX-License-Identifier: Apache-2.0 */
/* A handler whose tasks go on after it has returned, until they are told to stop; a task with a
 * payload succeeds at once. */
#include <curfew/plugin.h>
#include <stddef.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    return info.payload_bytes > 0 ? CURFEW_OK : CURFEW_PENDING;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)handler_data, (void)reason;
    api->complete(api, task, CURFEW_FAILED, NULL, 0, NULL, 0);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.pending",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, host_error);
}
