/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Keeps a buffer for each worker under a key of thread-specific data with a destructor, and
 * deletes the key when it is retired.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct state {
    pthread_key_t key;
};

static bool state_open(struct state *state) { return pthread_key_create(&state->key, free) == 0; }

static void state_close(struct state *state) { pthread_key_delete(state->key); }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct state *state = data;
    char *buffer = pthread_getspecific(state->key);
    if (buffer == NULL) {
        buffer = malloc(4096);
        if (buffer == NULL) return failed(error, "no memory for the buffer of this worker");
        if (pthread_setspecific(state->key, buffer) != 0) {
            free(buffer);
            return failed(error, "no room for the buffer of this worker");
        }
    }
    memset(buffer, 'x', 4096);
    for (int round = 0; slow || round < 10; round++) {
        for (int i = 0; i < 4096; i++) buffer[i] ^= (char)(i + round);
        if (api->is_expired(api, task)) return failed(error, "told to stop");
        if (slow) pause_ms(2);
    }
    return CURFEW_OK;
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
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
