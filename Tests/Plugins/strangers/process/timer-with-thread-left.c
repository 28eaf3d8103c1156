/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0846
 *
 * Has a timer call it on a thread from time to time, and does not delete it when it is retired.
 */
#include "stranger.h"

#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static volatile unsigned ticks;

static void tick(union sigval value) {
    (void)value;
    ticks++;
}

static void start_ticking(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    const struct itimerspec each = {.it_interval = {.tv_nsec = 20000000},
                                    .it_value = {.tv_nsec = 20000000}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &each, NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

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
    pthread_once(&once, start_ticking);
    return CURFEW_OK;
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
