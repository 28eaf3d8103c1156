/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Multiplies the size of its payload in 32 bits: for a mebibyte the product is 0.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static __attribute__((noinline)) uint32_t table_bytes(uint32_t rows) { return rows * 4096u; }

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
    const uint32_t room = table_bytes((uint32_t)info.payload_bytes);
    volatile char *rows = calloc(1, room + 64u);
    if (rows == NULL) return failed(error, "no memory");
    if (info.payload_bytes > 0) rows[(info.payload_bytes - 1) * 4096] = 1;
    free((char *)(uintptr_t)rows);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(error, "no memory");
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
