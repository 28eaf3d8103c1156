/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for its next run first, as the header of the extension shows it; logs the date. */
#include <curfew/ext/requests.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_STALE;
    const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
    const curfew_submit_options tomorrow = {.struct_size = sizeof tomorrow,
                                            .after_ns = 24 * UINT64_C(3600000000000),
                                            .on_pending = CURFEW_ON_PENDING_KEEP,
                                            .payload = info.payload,
                                            .payload_bytes = info.payload_bytes};

    // First the next launch, then the work: it comes also where this attempt crashes. A further
    // attempt finds it pending, and keeps it.
    curfew_status status =
        requests->submit(api, "org.curfew.test.again", &tomorrow, NULL, host_error);
    if (status != CURFEW_OK) return status;
    char date[64];
    snprintf(date, sizeof date, "it is %" PRId64, requests->get_wall_ns(api) / 1000000000);
    api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT(date));
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.curfew.test.again", .run = run};
    return api->register_handler(api, &handler, host_error);
}
