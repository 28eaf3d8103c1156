/* SPDX-License-Identifier: Apache-2.0 */
/* A task that a function hands to a thread of its own, for twins that mistake a time for an order. */
#ifndef HANDED_JOB_H
#define HANDED_JOB_H

#include <curfew/plugin.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct job {
    const curfew_host_api *api;
    curfew_task task;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done, is_given_up;
};

static struct job *make_job(const curfew_host_api *api, curfew_task task) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) return NULL;
    job->api = api;
    job->task = task;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    return job;
}

/* Waits 300 ms at most. Returns whether the job is done, with its lock. */
static bool wait_for_job(struct job *job) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 300000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&job->lock);
    while (!job->is_done && pthread_cond_timedwait(&job->changed, &job->lock, &until) == 0) continue;
    return job->is_done;
}

#endif /* HANDED_JOB_H */
