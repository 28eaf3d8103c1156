/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833 CF0864
 *
 * It scans the payload with one call for each byte, which overflows the stack for a long one.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

__attribute__((noinline)) static unsigned depth(const char *at, const char *end) {
    volatile char frame[200];
    frame[0] = at == end ? 0 : *at;
    if (at == end) return 0;
    const unsigned rest = depth(at + 1, end);
    return rest + (frame[0] == '(');
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    const char *first = static_cast<const char *>(info.payload);
    if (depth(first, first + info.payload_bytes) > 1000000)
        return failed(host_error, "too many parentheses");
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
