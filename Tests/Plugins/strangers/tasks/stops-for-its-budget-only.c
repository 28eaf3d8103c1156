/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0841 CF0860
 *
 * Stops when its budget is used up, and for no other reason.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    _Atomic curfew_task stopped;
} Plugin;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    Plugin *self = data;
    curfew_task_info job = {.struct_size = sizeof job};
    if (api->task_info(api, task, &job) != CURFEW_OK) return failed(error, "no such task");
    if (payload_is(&job, "fail")) return failed(error, "the work failed");
    if (payload_is(&job, "slow")) {
        for (int i = 0; i < 2000 && self->stopped != task; i++) pause_ms(5);
        return failed(error, "interrupted");
    }
    return CURFEW_OK;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    Plugin *self = data;
    (void)api;
    if (reason == CURFEW_REASON_BUDGET) self->stopped = task;
}

static void retire(void *data) {
    Plugin *self = data;
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
        retire(self);
    }
    return status;
}
