/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0856 CF0862
 *
 * Makes an epoll instance for each host, and does not close it when it is retired.
 */
#include "stranger.h"

#include <sys/epoll.h>

CURFEW_PLUGIN_NOTE();

struct state {
    unsigned long tasks;
    int epoll;
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
    state->epoll = epoll_create1(EPOLL_CLOEXEC);
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
