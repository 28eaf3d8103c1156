/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Raises events with every type of parameter, as its manifest declares them. An event that the
 * host has no room for is lost, which it takes note of and goes on.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

#define VALUE(kind, ...) \
    { .struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_##kind, __VA_ARGS__ }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");

    bool slow = payload_is(&info, "slow");
    const unsigned char *bytes = info.payload;
    int64_t letters = 0;
    for (uint64_t i = 0; i < info.payload_bytes; i++)
        letters += (bytes[i] | 32) >= 'a' && (bytes[i] | 32) <= 'z';
    const curfew_value values[] = {
        VALUE(INT64, .integer = letters),
        VALUE(DOUBLE, .number = info.payload_bytes ? (double)letters / info.payload_bytes : 0),
        VALUE(TEXT, .text = "Buchstaben und Zahlen \xc2\xbd", .text_bytes = 24),
        VALUE(BOOL, .integer = slow),
        VALUE(INT32, .integer = -1),
    };
    unsigned lost = 0;
    lost += api->raise(api, task, "stranger_begun", NULL, 0) == CURFEW_BUSY;
    lost += api->raise(api, task, "stranger_counted", values, 5) == CURFEW_BUSY;
    if (lost > 0) api->log(api, task, CURFEW_LOG_WARNING, CURFEW_TEXT("an event was lost"));
    if (!slow) return CURFEW_OK;
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(error, "told to stop");
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "2.1.0-beta.3";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.raise", .run = run};
    return api->register_handler(api, &handler, error);
}
