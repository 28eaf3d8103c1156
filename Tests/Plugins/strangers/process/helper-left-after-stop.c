/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0856
 *
 * Starts a program at each stop that is to clean up, and does not see to it.
 */
#include "stranger.h"

#include <spawn.h>

CURFEW_PLUGIN_NOTE();

extern char **environ;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        char *words[] = {"sleep", "60", NULL};
        pid_t helper;
        posix_spawn(&helper, "/bin/sleep", NULL, NULL, words, environ);
        return failed(error, "told to stop");
    }
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
