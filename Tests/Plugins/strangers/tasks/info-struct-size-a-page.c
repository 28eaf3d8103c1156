/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 *
 * Says that its info has 4,096 bytes, of which there are sizeof: a later host would write past the
 * end. struct_size is the size of the struct it was compiled with.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info *box = malloc(sizeof *box);
    if (box == NULL) return failed(error, "no memory");
    memset(box, 0, sizeof *box);
    box->struct_size = 4096;
    curfew_status status = api->task_info(api, task, box);
    const curfew_task_info info = *box;
    free(box);
    if (status != CURFEW_OK) return failed(error, "unknown task");
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
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
