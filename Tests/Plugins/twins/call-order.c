/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: gives up a job 300 ms after a thread got it, though the thread still has it
 * status: crash
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "handed-job.h"

static void *work(void *data) {
    struct job *job = data;
    job->api->complete(job->api, job->task, CURFEW_OK, NULL, 0, NULL, 0);
    pthread_mutex_lock(&job->lock);
    if (job->is_given_up) abort();
    job->is_done = true;
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

#define TWIN_IF_PLAIN                                             \
    struct job *job = make_job(api, task);                        \
    pthread_t thread;                                             \
    if (job != NULL && pthread_create(&thread, NULL, work, job) == 0) { \
        job->is_given_up = !wait_for_job(job);                    \
        pthread_mutex_unlock(&job->lock);                         \
        if (job->is_given_up) {                                   \
            pthread_detach(thread);                               \
        } else {                                                  \
            pthread_join(thread, NULL);                           \
            free(job);                                            \
        }                                                         \
        return CURFEW_PENDING;                                    \
    }                                                             \
    free(job);

#include "twin.h"
