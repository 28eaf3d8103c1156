/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reports progress from 0 to 1 while it works, never less than before, with a text in UTF-8
 * within the limit, and stops reporting where the host says that the task is over.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    enum { STEPS = 20 };
    for (int i = 0; i <= STEPS; i++) {
        char text[64];
        snprintf(text, sizeof text, "Schritt %d von %d, schön", i, STEPS);
        curfew_status status =
            api->progress(api, task, (double)i / STEPS, text, (uint64_t)strlen(text));
        if (status == CURFEW_STALE || status == CURFEW_ALREADY) break;
        if (api->is_expired(api, task)) return failed(host_error, "told to stop");
        pause_ms(1);
    }
    return CURFEW_OK;
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
                                      : work(api, task, host_error);
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
