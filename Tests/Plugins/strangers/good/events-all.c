/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Raises events of every type that its own manifest declares, with progress and a line of each
 * level in the log.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    static const char greeting[] = "gr\xc3\xbc\xc3\x9f dich\n";
    const curfew_value all[] = {
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_BOOL, .integer = 1},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT32, .integer = INT32_MIN},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT64, .integer = INT64_MAX},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_DOUBLE, .number = -0.5},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = greeting,
         .text_bytes = sizeof greeting - 1},
    };
    for (curfew_log_level level = CURFEW_LOG_DEBUG; level <= CURFEW_LOG_INFO; level++)
        api->log(api, task, level, CURFEW_TEXT("it begins"));
    for (int step = 0; slow || step <= 4; step++) {
        /* A full queue loses the event, which is no reason to fail. */
        const curfew_status status = api->raise(api, task, "work_all", all, 5);
        if (status == CURFEW_DENIED || status == CURFEW_INVALID)
            return failed(error, "the host does not accept the event");
        if (!slow) api->progress(api, task, step / 4.0, CURFEW_TEXT("\xe2\x80\xa6"));
        else pause_ms(50);
        if (api->is_expired(api, task)) return failed(error, "told to stop");
    }
    api->raise(api, task, "work_bare", NULL, 0);
    return CURFEW_OK;
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
