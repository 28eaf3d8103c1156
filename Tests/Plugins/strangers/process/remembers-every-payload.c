/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849
 * level: 3
 *
 * Keeps a copy of every payload in a list that nobody reads, and frees it at retire only.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct seen {
    struct seen *next;
    uint64_t bytes;
    char copy[4096];
};

struct history {
    pthread_mutex_t lock;
    struct seen *first;
};

static bool remember(struct history *history, const curfew_task_info *info) {
    struct seen *seen = calloc(1, sizeof *seen);
    if (seen == NULL) return false;
    seen->bytes = info->payload_bytes < sizeof seen->copy ? info->payload_bytes : sizeof seen->copy;
    if (seen->bytes > 0) memcpy(seen->copy, info->payload, seen->bytes);
    pthread_mutex_lock(&history->lock);
    seen->next = history->first;
    history->first = seen;
    pthread_mutex_unlock(&history->lock);
    return true;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (!remember(data, &info)) return failed(error, "no memory");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

static void forget(void *data) {
    struct history *history = data;
    for (struct seen *next, *seen = history->first; seen != NULL; seen = next) {
        next = seen->next;
        free(seen);
    }
    pthread_mutex_destroy(&history->lock);
    free(history);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct history *history = calloc(1, sizeof *history);
    if (history == NULL) return failed(error, "no memory");
    pthread_mutex_init(&history->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = history,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        forget(history);
        return status;
    }
    info->plugin_data = history;
    info->retire = forget;
    return CURFEW_OK;
}
