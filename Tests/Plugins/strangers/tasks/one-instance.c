/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0827 CF0819
 *
 * It takes a name in the process so that there is only one of it, and refuses a second host.
 */
#include "stranger.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    int lock;
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
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
    return CURFEW_OK;
}

static void retire(void *plugin_data) {
    struct state *state = plugin_data;
    close(state->lock);
    free(state);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int length =
        snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "stranger-%d", (int)getpid());
    state->lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (state->lock < 0 ||
        bind(state->lock, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) != 0) {
        if (state->lock >= 0) close(state->lock);
        free(state);
        return failed(host_error, "the plugin is loaded already");
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
    close(state->lock);
        free(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return status;
}
