/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Waits on a condition variable with the monotonic clock, which the expired callback signals.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct state {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned stops; /* how many callbacks came */
};

static bool state_open(struct state *state) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&state->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (ok && pthread_mutex_init(&state->lock, NULL) != 0) {
        pthread_cond_destroy(&state->changed);
        ok = false;
    }
    return ok;
}

static void state_close(struct state *state) {
    pthread_cond_destroy(&state->changed);
    pthread_mutex_destroy(&state->lock);
}

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api;
    (void)task;
    (void)reason;
    struct state *state = data;
    pthread_mutex_lock(&state->lock);
    state->stops++;
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct state *state = data;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (slow) until.tv_sec += 3600;
    else {
        until.tv_nsec += 3000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
    }
    pthread_mutex_lock(&state->lock);
    int fault = 0;
    while (fault == 0 && !api->is_expired(api, task))
        fault = pthread_cond_timedwait(&state->changed, &state->lock, &until);
    pthread_mutex_unlock(&state->lock);
    if (api->is_expired(api, task)) return failed(error, "told to stop");
    return fault == ETIMEDOUT ? CURFEW_OK : failed(error, "the wait failed");
}

static void retire(void *plugin_data) {
    state_close(plugin_data);
    free(plugin_data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory for the state of the plugin");
    if (!state_open(state)) {
        free(state);
        return failed(host_error, "the state of the plugin could not be set up");
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run,
                                    .expired = expired};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
