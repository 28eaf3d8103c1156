/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Interrupts the sleep of its worker with a signal for which there is no handler: it ends the
 * process.
 */
#include "stranger.h"

#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static _Atomic(pthread_t) sleeper;

static void poke(void *data, const curfew_host_api *api, curfew_task task, curfew_reason why) {
    (void)data, (void)api, (void)task, (void)why;
    const pthread_t thread = sleeper;
    if (thread != 0) pthread_kill(thread, SIGUSR2);
}

static curfew_status work(void *data, const curfew_host_api *api, curfew_task task,
                          curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "slow")) {
        sigset_t usr2, before;
        sigemptyset(&usr2);
        sigaddset(&usr2, SIGUSR2);
        pthread_sigmask(SIG_UNBLOCK, &usr2, &before);
        sleeper = pthread_self();
        while (!api->is_expired(api, task)) pause_ms(10);
        pause_ms(20);
        sleeper = 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return failed(error, "interrupted");
    }
    return payload_is(&info, "fail") ? failed(error, "asked to fail") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = work,
                                    .expired = poke};
    return api->register_handler(api, &handler, error);
}
