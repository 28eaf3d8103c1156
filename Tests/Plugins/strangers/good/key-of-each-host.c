/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a key of thread-specific data for each host and deletes it in retire. The buffers are
 * freed by the key's destructor where a worker ends, which is before retire.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

typedef struct local_buffer {
    size_t used;
    char text[1000];
} local_buffer;

typedef struct registry {
    pthread_key_t key;
} registry;

static local_buffer *buffer_of_this_thread(registry *registry) {
    local_buffer *buffer = pthread_getspecific(registry->key);
    if (buffer != NULL) return buffer;
    buffer = calloc(1, sizeof *buffer);
    if (buffer != NULL && pthread_setspecific(registry->key, buffer) != 0) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    local_buffer *buffer = buffer_of_this_thread(data);
    if (buffer == NULL) return failed(error, "no buffer for this thread");
    size_t count = info.payload_bytes;
    if (count > sizeof buffer->text) count = sizeof buffer->text;
    if (count > 0) memcpy(buffer->text, info.payload, count);
    buffer->used = count;
    if (!payload_is(&info, "slow")) return CURFEW_OK;
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(error, "told to stop");
}

static void retire(void *data) {
    registry *registry = data;
    pthread_key_delete(registry->key);
    free(registry);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    registry *made = malloc(sizeof *made);
    if (made == NULL) return failed(error, "no memory");
    int problem = pthread_key_create(&made->key, free);
    if (problem != 0) {
        free(made);
        return failed(error, strerror(problem));
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = made,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        retire(made);
        return status;
    }
    info->plugin_data = made;
    info->retire = retire;
    return CURFEW_OK;
}
