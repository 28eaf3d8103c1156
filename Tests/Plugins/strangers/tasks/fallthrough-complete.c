/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0832 CF0837
 *
 * A failing task completes with its failure, and falls through to the completion of success.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

enum kind { PLAIN, FAIL, SLOW };

struct job {
    struct job *next;
    pthread_t thread;
    const curfew_host_api *api;
    curfew_task task;
    enum kind kind;
    bool done; /* under the lock */
    struct state *state;
};

/* One for each host. */
struct state {
    pthread_mutex_t lock;
    struct job *jobs;
};

static void *work(void *argument) {
    struct job *job = argument;
    const curfew_host_api *api = job->api;
    if (job->kind == SLOW)
        while (!api->is_expired(api, job->task)) pause_ms(5);

    switch (job->kind) {
    case SLOW:
        api->complete(api, job->task, CURFEW_FAILED, CURFEW_TEXT("told to stop"), NULL, 0);
        break;
    case FAIL:
        api->complete(api, job->task, CURFEW_FAILED, CURFEW_TEXT("asked to fail"), NULL, 0);
        /* fall through */
    case PLAIN:
        api->complete(api, job->task, CURFEW_OK, NULL, 0, NULL, 0);
        break;
    }
    pthread_mutex_lock(&job->state->lock);
    job->done = true;
    pthread_mutex_unlock(&job->state->lock);
    return NULL;
}

/* Joins the threads that are done, or all. */
static void reap(struct state *state, bool all) {
    struct job *gone = NULL;
    pthread_mutex_lock(&state->lock);
    for (struct job **link = &state->jobs; *link != NULL;) {
        struct job *job = *link;
        if (job->done || all) {
            *link = job->next;
            job->next = gone;
            gone = job;
        } else {
            link = &job->next;
        }
    }
    pthread_mutex_unlock(&state->lock);
    while (gone != NULL) {
        struct job *job = gone;
        gone = job->next;
        pthread_join(job->thread, NULL);
        free(job);
    }
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    struct state *state = handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    reap(state, false);

    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) return failed(host_error, "no memory");
    job->api = api;
    job->task = task;
    job->state = state;
    job->kind = payload_is(&info, "slow") ? SLOW : payload_is(&info, "fail") ? FAIL : PLAIN;
    pthread_mutex_lock(&state->lock);
    const bool started = pthread_create(&job->thread, NULL, work, job) == 0;
    if (started) {
        job->next = state->jobs;
        state->jobs = job;
    }
    pthread_mutex_unlock(&state->lock);
    if (!started) {
        free(job);
        return failed(host_error, "no thread");
    }
    return CURFEW_PENDING;
}

static void retire(void *plugin_data) {
    struct state *state = plugin_data;
    reap(state, true);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory");
    pthread_mutex_init(&state->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        pthread_mutex_destroy(&state->lock);
        free(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
