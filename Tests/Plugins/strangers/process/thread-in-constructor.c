/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0813 CF0846
 *
 * Starts its thread when it is loaded, and not when a host needs it.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_t ticker;
static volatile bool stop_ticker;

static void *tick(void *unused) {
    while (!stop_ticker) pause_ms(50);
    return unused;
}

__attribute__((constructor)) static void start_ticker(void) {
    pthread_create(&ticker, NULL, tick, NULL);
}

__attribute__((destructor)) static void end_ticker(void) {
    stop_ticker = true;
    pthread_join(ticker, NULL);
}

typedef struct Worker {
    pthread_mutex_t lock;
    pthread_cond_t woken;
} Worker;

static void wake(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api, (void)task, (void)reason;
    Worker *me = (Worker *)data;
    pthread_mutex_lock(&me->lock);
    pthread_cond_broadcast(&me->woken);
    pthread_mutex_unlock(&me->lock);
}

static void worker_free(void *data) {
    Worker *me = (Worker *)data;
    pthread_cond_destroy(&me->woken);
    pthread_mutex_destroy(&me->lock);
    free(me);
}

static void wait_for_stop(Worker *me, const curfew_host_api *api, curfew_task task) {
    pthread_mutex_lock(&me->lock);
    while (!api->is_expired(api, task)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 1;
        pthread_cond_clockwait(&me->woken, &me->lock, CLOCK_MONOTONIC, &until);
    }
    pthread_mutex_unlock(&me->lock);
}

static curfew_status worker_run(void *data, const curfew_host_api *api, curfew_task task,
                                curfew_error *error) {
    Worker *me = (Worker *)data;
    curfew_task_info what = {.struct_size = sizeof what};
    if (api->task_info(api, task, &what) != CURFEW_OK) return failed(error, "stale");
    if (payload_is(&what, "slow")) {
        wait_for_stop(me, api, task);
        return failed(error, "woken before it was done");
    }
    if (payload_is(&what, "fail")) {
        return failed(error, "it was to fail");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    Worker *me = (Worker *)calloc(1, sizeof(Worker));
    if (!me) return failed(error, "out of memory");
    pthread_mutex_init(&me->lock, NULL);
    pthread_cond_init(&me->woken, NULL);
    curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work",
        .handler_data = me, .run = worker_run, .expired = wake};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        worker_free(me);
        return status;
    }
    info->plugin_data = me;
    info->retire = worker_free;
    return status;
}
