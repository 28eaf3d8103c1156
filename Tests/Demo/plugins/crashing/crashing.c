/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that writes where it should not. */
#include <curfew/plugin.h>
#include <stddef.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)api, (void)task, (void)host_error;
    *(volatile int *)NULL = 1;
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.curfew.crashing", .run = run};
    return api->register_handler(api, &handler, host_error);
}
