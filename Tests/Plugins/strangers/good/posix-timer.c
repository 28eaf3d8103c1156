/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Lets a POSIX timer signal a thread of its own, which has the signal blocked and waits for it,
 * and deletes the timer.
 *
 * flags: -lrt
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

CURFEW_PLUGIN_NOTE();

struct job {
    const curfew_host_api *api;
    curfew_task task;
    bool slow;
    const char *fault;
};

static void *tick(void *argument) {
    struct job *job = argument;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 4);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 4};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        job->fault = "no timer";
        return NULL;
    }
    const struct itimerspec period = {{0, 3000000}, {0, 3000000}};
    timer_settime(timer, 0, &period, NULL);
    int ticks = 0;
    const struct timespec most = {0, 100000000};
    for (int waits = 0; (job->slow || (ticks < 3 && waits < 50)); waits++) {
        siginfo_t found;
        if (sigtimedwait(&set, &found, &most) == SIGRTMIN + 4 && found.si_code == SI_TIMER) ticks++;
        if (job->api->is_expired(job->api, job->task)) break;
    }
    timer_delete(timer);
    if (!job->slow && ticks < 3) job->fault = "the timer did not tick";
    return NULL;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct job job = {.api = api, .task = task, .slow = slow};
    sigset_t all, before;
    sigfillset(&all);
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int fault = pthread_create(&thread, NULL, tick, &job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fault != 0) return failed(error, "no thread");
    pthread_join(thread, NULL);
    if (job.fault != NULL) return failed(error, job.fault);
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
