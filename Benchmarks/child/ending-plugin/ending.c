/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that does nothing, or with a payload ends its process. */
#include "../../plugin.h"

#include <stdlib.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    if (info.payload_bytes > 0) abort();
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const struct bench_handler handler = {"org.example.ending", run};
    return register_all(api, &handler, 1, host_error);
}
