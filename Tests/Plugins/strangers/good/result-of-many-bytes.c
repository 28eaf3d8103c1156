/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Answers with a result as large as its payload, and with a shorter one where the host finds
 * that too large.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task,
                          const curfew_task_info *info, curfew_error *error) {
    uint64_t count = info->payload_bytes;
    unsigned char *reversed = malloc(count + 1);
    if (reversed == NULL) return failed(error, "no memory");
    const unsigned char *bytes = info->payload;
    for (uint64_t i = 0; i < count; i++) reversed[i] = bytes[count - 1 - i];
    curfew_status status =
        api->complete(api, task, CURFEW_OK, NULL, 0, count > 0 ? reversed : NULL, count);
    if (status == CURFEW_TOO_LARGE || status == CURFEW_EXHAUSTED)
        status = api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT("too much"));
    free(reversed);
    return status == CURFEW_OK ? CURFEW_OK : failed(error, "the result was not taken");
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(api, task, &info, error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
