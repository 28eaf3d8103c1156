/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has a timer of the C library call a function, and deletes it. The thread that waits for all such timers of
 * the process is the library's own: it is started with the first one, and stays.
 */
#include "stranger.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static void ring(union sigval bell) { sem_post(bell.sival_ptr); }

static curfew_status ring_once(curfew_error *error) {
    sem_t bell;
    sem_init(&bell, 0, 0);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_ptr = &bell};
    event.sigev_notify_function = ring;
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return failed(error, strerror(errno));
    const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    curfew_status status = CURFEW_OK;
    if (timer_settime(timer, 0, &soon, NULL) != 0) status = failed(error, strerror(errno));
    else while (sem_wait(&bell) != 0) continue;
    timer_delete(timer);
    /* The thread that has called may not have left the function yet. */
    pause_ms(5);
    sem_destroy(&bell);
    return status;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return ring_once(error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
