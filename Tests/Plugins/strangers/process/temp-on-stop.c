/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0872
 *
 * A task that is stopped leaves its temporary file behind.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    const char *directory = getenv("TMPDIR");
    char path[256];
    snprintf(path, sizeof path, "%s/stranger-XXXXXX", directory != NULL ? directory : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) return failed(host_error, "no temporary file");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        close(file);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        close(file);
        unlink(path);
        return failed(host_error, "asked to fail");
    }
    close(file);
    unlink(path);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    (void)host_info;
    return api->register_handler(api, &handler, host_error);
}
