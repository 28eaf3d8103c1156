/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Uses alloca and arrays of variable length for a bounded part of its payload.
 */
#include "stranger.h"

#include <alloca.h>

CURFEW_PLUGIN_NOTE();

static unsigned distance(const char *one, size_t m, const char *two, size_t n) {
    unsigned row[n + 1];
    for (size_t j = 0; j <= n; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned above = row[j], best = diagonal + (one[i - 1] != two[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[n];
}

static curfew_status work(const curfew_task_info *input, curfew_error *host_error) {
    size_t count = input->payload_bytes < 200 ? (size_t)input->payload_bytes : 200;
    char *reversed = alloca(count + 1);
    const char *text = input->payload;
    for (size_t i = 0; i < count; i++) reversed[i] = text[count - 1 - i];
    return distance(text, count, reversed, count) <= count ? CURFEW_OK
                                                            : failed(host_error, "too far");
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(&input, host_error);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
