/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * The expiration callback frees the buffer of a stopped task, and so does the task itself.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

/* One for each host. */
struct state {
    pthread_mutex_t lock;
    curfew_task owner;
    char *buffer;
    bool told;
};

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        pthread_mutex_lock(&state->lock);
        state->owner = task;
        state->told = false;
        state->buffer = calloc(1, 256);
        pthread_mutex_unlock(&state->lock);
        while (!api->is_expired(api, task)) pause_ms(5);
        bool told = false;
        for (int i = 0; i < 40 && !told; i++) {
            pthread_mutex_lock(&state->lock);
            told = state->told;
            pthread_mutex_unlock(&state->lock);
            if (!told) pause_ms(5);
        }
        pthread_mutex_lock(&state->lock);
        free(state->buffer);
        state->buffer = NULL;
        state->owner = 0;
        pthread_mutex_unlock(&state->lock);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    struct state *state = handler_data;
    (void)api;
    (void)reason;
    pthread_mutex_lock(&state->lock);
    if (state->owner == task) {
        free(state->buffer);
        state->told = true;
    }
    pthread_mutex_unlock(&state->lock);
}

static void retire(void *plugin_data) {
    struct state *state = plugin_data;
    pthread_mutex_destroy(&state->lock);
    free(state);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory");
    pthread_mutex_init(&state->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .expired = expired,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
    pthread_mutex_destroy(&state->lock);
        free(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return status;
}
