/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * A thread of its own, which blocks a real-time signal for itself alone, gets that from a timer
 * that is directed to this thread, takes it with sigtimedwait, and deletes the timer. No action
 * and no worker's mask is touched.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void *wait_for_signals(void *argument) {
    int *count = argument;
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &mine, NULL);

    struct sigevent to_me = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
    to_me.sigev_notify_thread_id = gettid();
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &to_me, &timer) != 0)
        return NULL;
    const struct itimerspec each = {{0, 1000000}, {0, 1000000}};
    const struct timespec limit = {0, 200000000}, now = {0, 0};
    timer_settime(timer, 0, &each, NULL);
    while (*count < 3 && sigtimedwait(&mine, NULL, &limit) > 0)
        ++*count;
    timer_delete(timer);
    while (sigtimedwait(&mine, NULL, &now) > 0)
        ;
    return NULL;
}

static curfew_status work(curfew_error *err) {
    int count = 0;
    pthread_t thread;
    int problem = pthread_create(&thread, NULL, wait_for_signals, &count);
    if (problem != 0)
        return failed(err, strerror(problem));
    pthread_join(thread, NULL);
    return count > 0 ? CURFEW_OK : failed(err, "no signal came");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
