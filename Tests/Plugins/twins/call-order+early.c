/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: uses a job after 300 ms in which its thread may have ended it
 * status: crash
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "handed-job.h"

static void *work(void *data) {
    struct job *job = data;
    job->is_given_up = !wait_for_job(job);
    pthread_mutex_unlock(&job->lock);
    job->api->complete(job->api, job->task, CURFEW_OK, NULL, 0, NULL, 0);
    return NULL;
}

#define TWIN_IF_PLAIN                                             \
    struct job *job = make_job(api, task);                        \
    pthread_t thread;                                             \
    if (job != NULL && pthread_create(&thread, NULL, work, job) == 0) { \
        api->log(api, task, CURFEW_LOG_DEBUG, "handed over", 11); \
        pthread_mutex_lock(&job->lock);                           \
        if (job->is_given_up) abort();                            \
        job->is_done = true;                                      \
        pthread_cond_signal(&job->changed);                       \
        pthread_mutex_unlock(&job->lock);                         \
        pthread_join(thread, NULL);                               \
        free(job);                                                \
        return CURFEW_PENDING;                                    \
    }                                                             \
    free(job);

#include "twin.h"
