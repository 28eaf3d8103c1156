/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a POSIX timer that notifies nobody, looks at it until it is over, and deletes it.
 */
#include "stranger.h"

#include <errno.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *error) {
    struct sigevent nobody = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &nobody, &timer) != 0) return failed(error, strerror(errno));
    const struct itimerspec soon = {.it_value = {0, 3000000}};
    struct itimerspec rest = soon;
    timer_settime(timer, 0, &soon, NULL);
    while ((rest.it_value.tv_sec || rest.it_value.tv_nsec) && !api->is_expired(api, task)) {
        pause_ms(1);
        timer_gettime(timer, &rest);
    }
    timer_delete(timer);
    return CURFEW_OK;
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
    return work(api, task, error);
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
