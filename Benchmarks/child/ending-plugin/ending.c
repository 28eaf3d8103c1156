/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that does nothing, ends its process, or makes calls, as its payload says. */
#include "../../plugin.h"

#include <curfew/ext/requests.h>
#include <stdlib.h>

CURFEW_PLUGIN_NOTE();

enum { CALLS = 1000, RESULT_BYTES = 1 << 20 };

static bool is(const curfew_task_info *info, const char *word) {
    return info->payload_bytes == strlen(word) && memcmp(info->payload, word, strlen(word)) == 0;
}

static curfew_status raise_events(const curfew_host_api *api, curfew_task task) {
    for (int i = 0; i < CALLS; i++) {
        const curfew_value value = {
            .struct_size = sizeof value, .type = CURFEW_TYPE_INT64, .integer = i};
        const curfew_status status = api->raise(api, task, "ending_said", &value, 1);
        if (status != CURFEW_OK) return status;
    }
    return CURFEW_OK;
}

/* Each request takes the place of the one before. */
static curfew_status submit_requests(const curfew_host_api *api, curfew_error *host_error) {
    const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
    if (requests == NULL) return CURFEW_FAILED;
    const curfew_submit_options options = {
        .struct_size = sizeof options, .on_pending = CURFEW_ON_PENDING_REPLACE,
        .earliest_ns = INT64_C(4000000000000000000)};
    for (int i = 0; i < CALLS; i++) {
        const curfew_status status =
            requests->submit(api, "org.example.ending", &options, NULL, host_error);
        if (status != CURFEW_OK) return status;
    }
    return CURFEW_OK;
}

static curfew_status return_result(const curfew_host_api *api, curfew_task task) {
    static uint8_t bytes[RESULT_BYTES];
    return api->complete(api, task, CURFEW_OK, NULL, 0, bytes, sizeof bytes);
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    if (is(&info, "end")) abort();
    if (is(&info, "raise")) return raise_events(api, task);
    if (is(&info, "submit")) return submit_requests(api, host_error);
    if (is(&info, "result")) return return_result(api, task);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const struct bench_handler handler = {"org.example.ending", run};
    return register_all(api, &handler, 1, host_error);
}
