/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0810
 * flags: -Wl,-z,notext
 *
 * Has a table of addresses among its code, which the loader has to write to.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static int zero(void) { return 0; }
static int one(void) { return 1; }

__asm__(".pushsection .text, \"ax\", @progbits\n"
        ".balign 8\n"
        "stranger_jumps: .quad zero, one\n"
        ".popsection");
extern int (*const stranger_jumps[2])(void) __attribute__((visibility("hidden")));
__attribute__((used)) static int (*const keep[2])(void) = {zero, one};

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
    if (stranger_jumps[ti.payload_bytes % 2]() < 0) rc = failed(e, "no way");
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
