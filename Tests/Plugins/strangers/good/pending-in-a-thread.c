/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Leaves each task pending and completes it in a thread of its own, with a reference for the
 * look at the task after that. The threads are remembered: those that are done are joined by
 * the next task, the rest in retire.
 */
#include "stranger.h"

#include <pthread.h>
#include <stdatomic.h>

CURFEW_PLUGIN_NOTE();

struct worker {
    struct worker *next;
    const curfew_host_api *api;
    curfew_task task;
    pthread_t thread;
    atomic_bool done;
};

struct plugin {
    pthread_mutex_t lock;
    struct worker *workers;
};

static void *answer(void *argument) {
    struct worker *self = argument;
    const curfew_host_api *api = self->api;
    curfew_task_info info = {.struct_size = sizeof info};
    curfew_status status = CURFEW_FAILED;
    const char *text = "the task is gone";
    if (api->task_info(api, self->task, &info) == CURFEW_OK) {
        text = "told to stop";
        if (payload_is(&info, "slow"))
            while (!api->is_expired(api, self->task)) pause_ms(1);
        else if (payload_is(&info, "fail")) text = "asked to fail";
        else status = CURFEW_OK;
    }
    if (status == CURFEW_OK) {
        curfew_status answer =
            api->complete(api, self->task, status, NULL, 0, CURFEW_TEXT("done"));
        if (answer == CURFEW_TOO_LARGE || answer == CURFEW_EXHAUSTED)
            api->complete(api, self->task, status, NULL, 0, NULL, 0);
    } else {
        api->complete(api, self->task, status, CURFEW_TEXT(text), NULL, 0);
    }
    api->log(api, self->task, CURFEW_LOG_DEBUG, CURFEW_TEXT("answered"));
    api->release(api, self->task);
    atomic_store(&self->done, true);
    return NULL;
}

static void join(struct plugin *plugin, bool all) {
    for (struct worker **link = &plugin->workers; *link != NULL;) {
        struct worker *worker = *link;
        if (all || atomic_load(&worker->done)) {
            *link = worker->next;
            pthread_join(worker->thread, NULL);
            free(worker);
        } else {
            link = &worker->next;
        }
    }
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct plugin *plugin = data;
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) return failed(error, "no memory");
    worker->api = api;
    worker->task = task;
    if (api->keep(api, task) != CURFEW_OK) {
        free(worker);
        return failed(error, "no reference to the task");
    }
    pthread_mutex_lock(&plugin->lock);
    join(plugin, false);
    int problem = pthread_create(&worker->thread, NULL, answer, worker);
    if (problem == 0) {
        worker->next = plugin->workers;
        plugin->workers = worker;
    }
    pthread_mutex_unlock(&plugin->lock);
    if (problem == 0) return CURFEW_PENDING;
    api->release(api, task);
    free(worker);
    return failed(error, strerror(problem));
}

static void retire(void *data) {
    struct plugin *plugin = data;
    join(plugin, true);
    pthread_mutex_destroy(&plugin->lock);
    free(plugin);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (plugin == NULL) return failed(error, "no memory");
    pthread_mutex_init(&plugin->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = plugin,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(plugin);
        return status;
    }
    info->plugin_data = plugin;
    info->retire = retire;
    return CURFEW_OK;
}
