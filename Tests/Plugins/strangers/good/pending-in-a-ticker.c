/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * One thread of the plugin looks after all pending tasks in turn, every millisecond, completes
 * those that are ready or were told to stop, and is joined in retire. Many tasks are pending at
 * the same time though maxConcurrency is 1.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

typedef struct entry {
    struct entry *next;
    curfew_task task;
    int rest; /* of the steps; negative: endless */
} entry;

typedef struct {
    const curfew_host_api *api;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    pthread_t thread;
    entry *entries;
    bool started, stop;
} ticker;

static bool step(const curfew_host_api *api, entry *each) {
    if (api->is_expired(api, each->task)) {
        api->complete(api, each->task, CURFEW_FAILED, CURFEW_TEXT("told to stop"), NULL, 0);
        return true;
    }
    if (each->rest < 0 || --each->rest > 0) return false;
    api->complete(api, each->task, CURFEW_OK, NULL, 0, NULL, 0);
    return true;
}

static void *tick(void *argument) {
    ticker *self = argument;
    pthread_mutex_lock(&self->lock);
    while (!self->stop || self->entries != NULL) {
        for (entry **link = &self->entries; *link != NULL;) {
            entry *each = *link;
            if (step(self->api, each)) {
                *link = each->next;
                free(each);
            } else {
                link = &each->next;
            }
        }
        if (self->entries == NULL && !self->stop) {
            pthread_cond_wait(&self->arrived, &self->lock);
        } else if (self->entries != NULL) {
            pthread_mutex_unlock(&self->lock);
            pause_ms(1);
            pthread_mutex_lock(&self->lock);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    ticker *self = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    entry *made = malloc(sizeof *made);
    if (made == NULL) return failed(error, "no memory for the task");
    made->task = task;
    made->rest = payload_is(&info, "slow") ? -1 : 2;
    pthread_mutex_lock(&self->lock);
    if (!self->started) self->started = pthread_create(&self->thread, NULL, tick, self) == 0;
    bool taken = self->started;
    if (taken) {
        made->next = self->entries;
        self->entries = made;
        pthread_cond_signal(&self->arrived);
    }
    pthread_mutex_unlock(&self->lock);
    if (taken) return CURFEW_PENDING;
    free(made);
    return failed(error, "no thread");
}

static void retire(void *data) {
    ticker *self = data;
    pthread_mutex_lock(&self->lock);
    self->stop = true;
    pthread_cond_signal(&self->arrived);
    pthread_mutex_unlock(&self->lock);
    if (self->started) pthread_join(self->thread, NULL);
    pthread_cond_destroy(&self->arrived);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    ticker *self = calloc(1, sizeof *self);
    if (self == NULL) return failed(error, "no memory");
    self->api = api;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->arrived, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = self,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(self);
        return status;
    }
    info->plugin_data = self;
    info->retire = retire;
    return CURFEW_OK;
}
