/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts one thread with its first task, answers from it, and keeps a reference to read the
 * payload after the answer.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct job {
    struct job *next;
    curfew_task task;
    bool is_parked, is_stopped;
};

struct state {
    const curfew_host_api *api;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool runs, ends;
    struct job *jobs;
    unsigned long letters; /* of all payloads so far; the thread's */
};

static bool state_open(struct state *state) {
    if (pthread_mutex_init(&state->lock, NULL) != 0) return false;
    if (pthread_cond_init(&state->changed, NULL) == 0) return true;
    pthread_mutex_destroy(&state->lock);
    return false;
}

static void state_close(struct state *state) {
    pthread_mutex_lock(&state->lock);
    state->ends = true;
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
    if (state->runs) pthread_join(state->thread, NULL);
    for (struct job *job; (job = state->jobs) != NULL;) {
        state->jobs = job->next;
        free(job);
    }
    pthread_cond_destroy(&state->changed);
    pthread_mutex_destroy(&state->lock);
}

/* Completes the task, which ends the reference of CURFEW_PENDING; the kept one is released last. */
static void finish(struct state *state, curfew_task task, bool is_stopped) {
    const curfew_host_api *api = state->api;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) {
        api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("the task is unknown"), NULL, 0);
        return;
    }
    const bool kept = api->keep(api, task) == CURFEW_OK;
    if (is_stopped)
        api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("told to stop"), NULL, 0);
    else if (payload_is(&info, "fail"))
        api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT("the payload asks for it"), NULL, 0);
    else
        api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
    if (!kept) return;
    const unsigned char *payload = info.payload;
    for (uint64_t i = 0; i < info.payload_bytes; i++)
        state->letters += payload[i] >= 'a' && payload[i] <= 'z';
    api->release(api, task);
}

static void *serve(void *argument) {
    struct state *state = argument;
    pthread_mutex_lock(&state->lock);
    while (!state->ends || state->jobs != NULL) {
        struct job **at = &state->jobs;
        while (*at != NULL && (*at)->is_parked && !(*at)->is_stopped) at = &(*at)->next;
        struct job *job = *at;
        if (job == NULL) {
            if (state->ends) break;
            pthread_cond_wait(&state->changed, &state->lock);
            continue;
        }
        *at = job->next;
        pthread_mutex_unlock(&state->lock);
        finish(state, job->task, job->is_stopped);
        free(job);
        pthread_mutex_lock(&state->lock);
    }
    pthread_mutex_unlock(&state->lock);
    return NULL;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api;
    (void)reason;
    struct state *state = data;
    pthread_mutex_lock(&state->lock);
    for (struct job *job = state->jobs; job != NULL; job = job->next)
        if (job->task == task) job->is_stopped = true;
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct state *state = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return failed(error, "no memory for the job");
    job->task = task;
    job->is_parked = payload_is(&info, "slow");
    pthread_mutex_lock(&state->lock);
    state->api = api;
    if (!state->runs && pthread_create(&state->thread, NULL, serve, state) == 0) state->runs = true;
    const bool runs = state->runs;
    /* Where it was told to stop before it is in the list, no callback comes any more. */
    job->is_stopped = api->is_expired(api, task);
    job->next = state->jobs;
    if (runs) {
        state->jobs = job;
        pthread_cond_broadcast(&state->changed);
    }
    pthread_mutex_unlock(&state->lock);
    if (runs) return CURFEW_PENDING;
    free(job);
    return failed(error, "no thread");
}

static void retire(void *plugin_data) {
    state_close(plugin_data);
    free(plugin_data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory for the state of the plugin");
    if (!state_open(state)) {
        free(state);
        return failed(host_error, "the state of the plugin could not be set up");
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run,
                                    .expired = expired};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
