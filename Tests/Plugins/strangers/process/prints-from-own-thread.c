/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0857
 *
 * Has a thread of its own that prints to standard output after each task.
 */
#include "stranger.h"

#include <pthread.h>
#include <semaphore.h>

CURFEW_PLUGIN_NOTE();

typedef struct Printer {
    pthread_t thread;
    sem_t lines;
    volatile bool started, stopping;
} Printer;

static void *print_lines(void *data) {
    Printer *printer = (Printer *)data;
    while (sem_wait(&printer->lines) == 0 && !printer->stopping) {
        puts("one more is done");
        fflush(stdout);
    }
    return NULL;
}

typedef struct Worker {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    Printer printer;
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
    pause_ms(20);
    me->printer.stopping = true;
    sem_post(&me->printer.lines);
    if (me->printer.started) pthread_join(me->printer.thread, NULL);
    sem_destroy(&me->printer.lines);
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
    sem_post(&me->printer.lines);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    Worker *me = (Worker *)calloc(1, sizeof(Worker));
    if (!me) return failed(error, "out of memory");
    pthread_mutex_init(&me->lock, NULL);
    pthread_cond_init(&me->woken, NULL);
    sem_init(&me->printer.lines, 0, 0);
    me->printer.started = pthread_create(&me->printer.thread, NULL, print_lines, &me->printer) == 0;
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
