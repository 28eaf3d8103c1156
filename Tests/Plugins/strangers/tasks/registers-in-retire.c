/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0821 CF0843
 *
 * Registers its handler once more when it is retired, to unset its functions.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    const curfew_host_api *api;
} Plugin;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    Plugin *self = data;
    curfew_task_info job = {.struct_size = sizeof job};
    if (api->task_info(api, task, &job) != CURFEW_OK) return failed(error, "no such task");
    if (payload_is(&job, "fail")) return failed(error, "the work failed");
    if (payload_is(&job, "slow")) {
        pthread_mutex_lock(&self->lock);
        while (!api->is_expired(api, task)) pthread_cond_wait(&self->wake, &self->lock);
        pthread_mutex_unlock(&self->lock);
        return failed(error, "interrupted");
    }
    return CURFEW_OK;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    Plugin *self = data;
    (void)api, (void)task, (void)reason;
    pthread_mutex_lock(&self->lock);
    pthread_cond_broadcast(&self->wake);
    pthread_mutex_unlock(&self->lock);
}

static void retire(void *data) {
    Plugin *self = data;
    const curfew_handler none = {.struct_size = sizeof none,
                                 .identifier = "org.example.stranger.work",
                                 .run = run};
    self->api->register_handler(self->api, &none, NULL);
    pthread_cond_destroy(&self->wake);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    Plugin *self = calloc(1, sizeof *self);
    if (self == NULL) return failed(error, "no memory");
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->wake, NULL);
    self->api = api;
    info->plugin_data = self;
    info->retire = retire;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = self,
                                    .run = run,
                                    .expired = expired};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        info->retire = NULL;
        free(self);
    }
    return status;
}
