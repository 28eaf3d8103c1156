/* SPDX-License-Identifier: Apache-2.0 */
/* Completes its task, and has some work left to do before its function returns. */
#include <curfew/plugin.h>

#include <string.h>

CURFEW_PLUGIN_NOTE();

static curfew_status lingers(void *handler_data, const curfew_host_api *api, curfew_task task,
                             curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT("nearly done"));
    api->progress(api, task, 1, CURFEW_TEXT("done"));
    api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
    /* Long enough for a host that does not wait for it to be an hour further. */
    volatile uint64_t work = 0;
    while (work < 20000000) work = work + 1;
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.curfew.test.lingers",
                                    .run = lingers};
    return api->register_handler(api, &handler, host_error);
}
