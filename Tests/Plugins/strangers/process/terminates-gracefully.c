/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0852 CF0854
 *
 * Takes SIGTERM of the whole process to end its own work in time.
 */
#include "stranger.h"

#include <signal.h>

CURFEW_PLUGIN_NOTE();

static volatile sig_atomic_t stopping;

static void on_term(int number) {
    (void)number;
    stopping = 1;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (stopping) return failed(error, "the process is to end");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct sigaction action = {.sa_handler = on_term, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
