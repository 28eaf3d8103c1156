/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Looks at struct_size before it uses the last members of the host's table, and passes a
 * task_info that is shorter than it could be. Larger structs of a later host are as good.
 */
#include "stranger.h"

#include <stddef.h>

CURFEW_PLUGIN_NOTE();

#define HAS(api, member) \
    ((api)->struct_size >= offsetof(curfew_host_api, member) + sizeof (api)->member)

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info start;
    memset(&start, 0xee, sizeof start);
    start.struct_size = offsetof(curfew_task_info, identifier);
    if (api->task_info(api, task, &start) != CURFEW_OK) return failed(error, "unknown task");
    if (start.attempt == 0) return failed(error, "there is no attempt 0");
    if (HAS(api, log)) api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("the host has a log"));
    if (HAS(api, extension) && api->extension(api, "curfew.none/1") != NULL)
        return failed(error, "an extension that is none");
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
