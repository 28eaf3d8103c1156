/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * The expiration callback sets the flag of this task in a short list of the running ones, which
 * the run function polls. The list is per host and has a lock that is held for moments.
 */
#include "stranger.h"

#include <pthread.h>
#include <stdatomic.h>

CURFEW_PLUGIN_NOTE();

typedef struct running {
    struct running *next;
    curfew_task task;
    atomic_int reason;
} running;

typedef struct {
    pthread_mutex_t lock;
    running *all;
} book;

static void enter(book *book, running *self) {
    pthread_mutex_lock(&book->lock);
    self->next = book->all;
    book->all = self;
    pthread_mutex_unlock(&book->lock);
}

static void leave(book *book, running *self) {
    pthread_mutex_lock(&book->lock);
    running **link = &book->all;
    while (*link != self) link = &(*link)->next;
    *link = self->next;
    pthread_mutex_unlock(&book->lock);
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)api;
    book *book = data;
    pthread_mutex_lock(&book->lock);
    for (running *each = book->all; each != NULL; each = each->next)
        if (each->task == task) atomic_store(&each->reason, reason);
    pthread_mutex_unlock(&book->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    running self = {.task = task};
    enter(data, &self);
    curfew_status status = CURFEW_OK;
    if (api->task_info(api, task, &info) != CURFEW_OK) status = failed(error, "unknown task");
    else if (payload_is(&info, "fail")) status = failed(error, "asked to fail");
    else if (payload_is(&info, "slow")) {
        /* The callback may have come before the task was in the list. */
        while (atomic_load(&self.reason) == 0 && !api->is_expired(api, task)) pause_ms(1);
        status = failed(error, "told to stop");
    }
    leave(data, &self);
    return status;
}

static void retire(void *data) {
    book *book = data;
    pthread_mutex_destroy(&book->lock);
    free(book);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    book *made = calloc(1, sizeof *made);
    if (made == NULL) return failed(error, "no memory");
    pthread_mutex_init(&made->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = made,
                                    .run = run,
                                    .expired = expired};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        retire(made);
        return status;
    }
    info->plugin_data = made;
    info->retire = retire;
    return CURFEW_OK;
}
