/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Submits its next run with the extension for requests, keeps one that is pending, and does
 * without the extension.
 */
#include "stranger.h"

#include <curfew/ext/requests.h>
#include <curfew/ext/thread-check.h>
#include <stddef.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
    const curfew_thread_check *check = api->extension(api, CURFEW_EXT_THREAD_CHECK);
    if (check != NULL && check->current(api) != CURFEW_THREAD_WORKER)
        api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("not on a worker"));
    if (requests != NULL) {
        const curfew_submit_options tomorrow = {.struct_size = sizeof tomorrow,
                                                .after_ns = 24 * UINT64_C(3600000000000),
                                                .on_pending = CURFEW_ON_PENDING_KEEP,
                                                .payload = info.payload,
                                                .payload_bytes = info.payload_bytes};
        curfew_error why = {.struct_size = sizeof why};
        curfew_request number = 0;
        const curfew_status status =
            requests->submit(api, info.identifier, &tomorrow, &number, &why);
        /* A host without room for requests still gets the work of today. */
        if (status != CURFEW_OK)
            api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT("the next run is not submitted"));
        if (requests->struct_size > offsetof(curfew_requests, get_owner) &&
            requests->get_owner(api, task) >= 0)
            api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("for another user"));
    }
    while (slow && !api->is_expired(api, task)) pause_ms(5);
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
