/* SPDX-License-Identifier: Apache-2.0 */
/* Does what it should, whatever others do: a step, a progress, an event, a result. */
#include <curfew/plugin.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    const curfew_value step = {
        .struct_size = sizeof step, .type = CURFEW_TYPE_INT32, .integer = 1};
    if (api->progress(api, task, 0.5, "half", 4) != CURFEW_OK) return CURFEW_FAILED;
    const curfew_status raised = api->raise(api, task, "good_step", &step, 1);
    /* A full queue of events is not this handler's fault. */
    if (raised != CURFEW_OK && raised != CURFEW_BUSY) return CURFEW_FAILED;
    return api->is_expired(api, task) ? CURFEW_FAILED : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.curfew.test.good", .run = run};
    return api->register_handler(api, &handler, host_error);
}
