/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Frees its thread-local data at the end of a task, and the destructor of the key frees it again
 * when the worker ends. Other code may use that memory by then: any crash can follow.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct scratch {
    char *text;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop(void *data) {
    struct scratch *scratch = data;
    free(scratch->text);
    free(scratch);
}

static void make_key(void) { pthread_key_create(&key, drop); }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    pthread_once(&once, make_key);
    struct scratch *scratch = pthread_getspecific(key);
    if (scratch == NULL) {
        scratch = calloc(1, sizeof *scratch);
        if (scratch == NULL || pthread_setspecific(key, scratch) != 0) {
            free(scratch);
            return failed(error, "no memory");
        }
    }
    if (scratch->text == NULL) {
        scratch->text = malloc(4000);
        if (scratch->text == NULL) return failed(error, "no memory");
        snprintf(scratch->text, 4000, "%llu", (unsigned long long)info.payload_bytes);
        free(scratch->text);
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
