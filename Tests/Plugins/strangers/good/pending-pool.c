/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Answers its tasks from a pool of three threads that retire joins; four tasks run at a time.
 */
#include "stranger.h"

#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

enum { THREADS = 3 };

struct job {
    struct job *next;
    curfew_task task;
    bool slow, fails;
    enum { WAITS, PARKED, STOPPED } phase; /* a parked one occupies no thread */
};

struct pool {
    const curfew_host_api *api;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first, **last;
    bool ends;
    int started;
    pthread_t threads[THREADS];
};

static void answer(const curfew_host_api *api, curfew_task task, curfew_status status,
                   const char *text) {
    if (status == CURFEW_OK) {
        const curfew_status said =
            api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT("from the pool"));
        if (said != CURFEW_EXHAUSTED && said != CURFEW_TOO_LARGE) return;
        text = "the host did not take the result";
    }
    api->complete(api, task, CURFEW_FAILED, CURFEW_TEXT(text), NULL, 0);
}

/* With the lock held: unlinks the next job that can be answered, or returns NULL. */
static struct job *take(struct pool *pool) {
    for (struct job **at = &pool->first; *at != NULL; at = &(*at)->next) {
        struct job *job = *at;
        if (job->phase == WAITS && job->slow)
            job->phase = pool->api->is_expired(pool->api, job->task) ? STOPPED : PARKED;
        if (job->phase == PARKED) continue;
        *at = job->next;
        if (job->next == NULL) pool->last = at;
        return job;
    }
    return NULL;
}

static void *serve(void *argument) {
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct job *job = take(pool);
        if (job == NULL) {
            if (pool->ends) break;
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        pthread_mutex_unlock(&pool->lock);
        if (job->phase == STOPPED) answer(pool->api, job->task, CURFEW_FAILED, "told to stop");
        else if (job->fails)
            answer(pool->api, job->task, CURFEW_FAILED, "the payload asks for a failure");
        else answer(pool->api, job->task, CURFEW_OK, NULL);
        free(job);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api;
    (void)reason;
    struct pool *pool = data;
    pthread_mutex_lock(&pool->lock);
    for (struct job *job = pool->first; job != NULL; job = job->next)
        if (job->task == task) job->phase = STOPPED;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct pool *pool = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return failed(error, "no memory for the job");
    *job = (struct job){.task = task, .slow = payload_is(&info, "slow"),
                        .fails = payload_is(&info, "fail")};
    pthread_mutex_lock(&pool->lock);
    *pool->last = job;
    pool->last = &job->next;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    return CURFEW_PENDING;
}

static void retire(void *plugin_data) {
    struct pool *pool = plugin_data;
    pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    for (struct job *job; (job = pool->first) != NULL;) {
        pool->first = job->next;
        free(job);
    }
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return failed(host_error, "no memory for the pool");
    pool->api = api;
    pool->last = &pool->first;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started < THREADS &&
           pthread_create(&pool->threads[pool->started], NULL, serve, pool) == 0)
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = pool,
                                    .run = run,
                                    .expired = expired};
    curfew_status status = pool->started == 0 ? failed(host_error, "no thread for the pool")
                                              : api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(pool);
        return status;
    }
    host_info->plugin_data = pool;
    host_info->retire = retire;
    return CURFEW_OK;
}
