/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that does nothing: what is left of a task is what Curfew does for it. Several plugins
 * are built from this file, each with an IDENTIFIER of its own. */
#include <curfew/plugin.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)api, (void)task, (void)host_error;
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = IDENTIFIER, .run = run};
    return api->register_handler(api, &handler, host_error);
}
