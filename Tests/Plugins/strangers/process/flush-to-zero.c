/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0855
 *
 * From its second task on it makes the worker flush denormal numbers to zero, and leaves it so.
 */
#include "stranger.h"

#include <immintrin.h>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    int tasks;
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    if (__atomic_add_fetch(&state->tasks, 1, __ATOMIC_RELAXED) > 1) _mm_setcsr(_mm_getcsr() | 0x8040);
    return CURFEW_OK;
}

static void retire(void *plugin_data) {
    struct state *state = plugin_data;
    free(state);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory");
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        free(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return status;
}
