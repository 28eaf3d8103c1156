/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Runs a shell with system(3), which waits for it. The child is gone and the signals are as
 * before when it returns.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *error) {
    int status = system("test 1 -lt 2 </dev/null >/dev/null 2>&1");
    if (status == -1) {
        snprintf(error->message, sizeof error->message, "no shell: %s", strerror(errno));
        return CURFEW_SYSTEM;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed(error, "test said no");
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
    return work(error);
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
