/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0852 CF0854
 *
 * Ends a sleep of its worker by a signal, for which it changes the action of SIGUSR1.
 */
#include "stranger.h"

#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

struct sleeper {
    pthread_mutex_t lock;
    pthread_t worker;
    bool sleeping;
};

static void awake(int number) { (void)number; }

static void interrupt(void *data, const curfew_host_api *api, curfew_task task,
                      curfew_reason reason) {
    (void)api, (void)task, (void)reason;
    struct sleeper *sleeper = data;
    pthread_mutex_lock(&sleeper->lock);
    if (sleeper->sleeping) pthread_kill(sleeper->worker, SIGUSR1);
    pthread_mutex_unlock(&sleeper->lock);
}

static void set_sleeping(struct sleeper *sleeper, bool sleeping) {
    pthread_mutex_lock(&sleeper->lock);
    sleeper->worker = pthread_self();
    sleeper->sleeping = sleeping;
    pthread_mutex_unlock(&sleeper->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (!payload_is(&info, "slow")) return CURFEW_OK;
    set_sleeping(data, true);
    while (!api->is_expired(api, task)) pause_ms(20);
    set_sleeping(data, false);
    return failed(error, "interrupted");
}

static void retire(void *data) { free(data); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct sleeper *sleeper = calloc(1, sizeof *sleeper);
    if (sleeper == NULL) return failed(error, "no memory");
    pthread_mutex_init(&sleeper->lock, NULL);
    struct sigaction action = {.sa_handler = awake};
    sigaction(SIGUSR1, &action, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = sleeper, .run = run, .expired = interrupt};
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(sleeper);
        return status;
    }
    info->plugin_data = sleeper;
    info->retire = retire;
    return CURFEW_OK;
}
