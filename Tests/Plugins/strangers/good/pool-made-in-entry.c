/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts two threads in its entry, which do the work of all tasks of this host, and joins them
 * in retire. The run function waits for its own job; where registering is refused the entry
 * ends the threads itself.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

enum { THREADS = 2 };

typedef struct job {
    struct job *next;
    const curfew_host_api *api;
    curfew_task task;
    const curfew_task_info *info;
    unsigned long sum;
    bool done;
} job;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    job *first;
    bool ending;
    unsigned count;
    pthread_t threads[THREADS];
} pool;

static void *serve(void *argument) {
    pool *self = argument;
    pthread_mutex_lock(&self->lock);
    for (;;) {
        while (self->first == NULL && !self->ending) pthread_cond_wait(&self->work, &self->lock);
        if (self->first == NULL) break;
        job *mine = self->first;
        self->first = mine->next;
        pthread_mutex_unlock(&self->lock);
        const unsigned char *bytes = mine->info->payload;
        for (uint64_t i = 0; i < mine->info->payload_bytes; i++) mine->sum += bytes[i];
        if (payload_is(mine->info, "slow"))
            while (!mine->api->is_expired(mine->api, mine->task)) pause_ms(1);
        pthread_mutex_lock(&self->lock);
        mine->done = true;
        pthread_cond_broadcast(&self->done);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void end_pool(void *data) {
    pool *self = data;
    pthread_mutex_lock(&self->lock);
    self->ending = true;
    pthread_cond_broadcast(&self->work);
    pthread_mutex_unlock(&self->lock);
    for (unsigned i = 0; i < self->count; i++) pthread_join(self->threads[i], NULL);
    pthread_cond_destroy(&self->work);
    pthread_cond_destroy(&self->done);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    pool *self = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    job mine = {.api = api, .task = task, .info = &info};
    pthread_mutex_lock(&self->lock);
    mine.next = self->first;
    self->first = &mine;
    pthread_cond_signal(&self->work);
    while (!mine.done) pthread_cond_wait(&self->done, &self->lock);
    pthread_mutex_unlock(&self->lock);
    return api->is_expired(api, task) ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    pool *made = calloc(1, sizeof *made);
    if (made == NULL) return failed(error, "no memory");
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->work, NULL);
    pthread_cond_init(&made->done, NULL);
    while (made->count < THREADS &&
           pthread_create(&made->threads[made->count], NULL, serve, made) == 0)
        made->count++;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = made,
                                    .run = run};
    curfew_status status = made->count == 0 ? failed(error, "no thread for the pool")
                                            : api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        end_pool(made);
        return status;
    }
    info->plugin_data = made;
    info->retire = end_pool;
    return CURFEW_OK;
}
