/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0835 CF0837
 *
 * Reports progress from a thread that goes on for 60 ms after run has returned, without a
 * reference of its own.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct ticker {
    const curfew_host_api *api;
    curfew_task task;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ticking;

static void *tick(void *argument) {
    struct ticker ticker = *(struct ticker *)argument;
    free(argument);
    for (int i = 1; i <= 6; i++) {
        pause_ms(10);
        ticker.api->progress(ticker.api, ticker.task, i / 6.0, NULL, 0);
    }
    pthread_mutex_lock(&lock);
    ticking--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

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
    struct ticker *ticker = malloc(sizeof *ticker);
    pthread_t thread;
    if (ticker == NULL) return failed(error, "no memory");
    *ticker = (struct ticker){api, task};
    pthread_mutex_lock(&lock);
    bool started = pthread_create(&thread, NULL, tick, ticker) == 0;
    ticking += started;
    pthread_mutex_unlock(&lock);
    if (!started) {
        free(ticker);
        return failed(error, "no thread");
    }
    pthread_detach(thread);
    return CURFEW_OK;
}

static void retire(void *data) {
    (void)data;
    pthread_mutex_lock(&lock);
    while (ticking > 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->retire = retire;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
