/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * unseen: nothing happens where the host's process leads its group already
 *
 * Puts the process of its host into a session of its own.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status cb_run(void *ctx, const curfew_host_api *api, curfew_task t, curfew_error *e) {
    curfew_task_info ti = {.struct_size = sizeof(curfew_task_info)};
    curfew_status rc = CURFEW_OK;
    (void)ctx;

    if ((rc = api->task_info(api, t, &ti)) != CURFEW_OK) {
        failed(e, "cannot read the task");
        goto out;
    }
    if (payload_is(&ti, "slow")) {
        while (api->is_expired(api, t) == false) usleep(1000);
        rc = failed(e, "asked to stop");
        goto out;
    }
    if (payload_is(&ti, "fail")) {
        rc = failed(e, "failing on request");
        goto out;
    }
    setsid();
out:
    return rc;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *pi, curfew_error *e) {
    static const curfew_handler h = {.struct_size = sizeof(curfew_handler),
                                     .identifier = "org.example.stranger.work",
                                     .run = cb_run};
    pi->id = "org.example.stranger";
    return api->register_handler(api, &h, e);
}
