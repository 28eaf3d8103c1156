/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0869
 *
 * It has four slots for tasks, and a failing task does not give its slot back: the fifth finds none.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    bool used[4];
};

static int take(struct state *state) {
    for (int i = 0; i < 4; i++)
        if (!__atomic_exchange_n(&state->used[i], true, __ATOMIC_ACQ_REL)) return i;
    return -1;
}

static void give(struct state *state, int slot) {
    __atomic_store_n(&state->used[slot], false, __ATOMIC_RELEASE);
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    const int slot = take(state);
    if (slot < 0) return failed(host_error, "all slots are in use");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        give(state, slot);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    give(state, slot);
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
