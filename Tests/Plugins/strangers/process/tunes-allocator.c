/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * unseen: only the memory of the process has a trace of it
 *
 * Changes the options of the process's allocator: freed memory is overwritten, and never given
 * back.
 */
#include "stranger.h"

#include <malloc.h>

CURFEW_PLUGIN_NOTE();

struct state {
    unsigned long tasks;
};

static void retire(void *data) {
    free(data);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct state *state = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "no such task");
    state->tasks++;
    if (payload_is(&info, "fail")) return failed(error, "failed, as the payload says");
    if (payload_is(&info, "slow")) {
        for (;;) {
            if (api->is_expired(api, task)) break;
            pause_ms(1);
        }
        return failed(error, "stopped");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(error, "no memory");
    mallopt(M_PERTURB, 0xA5);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(state);
        return status;
    }
    info->plugin_data = state;
    info->retire = retire;
    return CURFEW_OK;
}
