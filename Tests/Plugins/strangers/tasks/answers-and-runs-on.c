/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0840 CF0841 CF0860 CF0846 CF0847 CF0832
 *
 * Completes its task when it is told to stop, but does not return for nine seconds more, and keeps
 * its worker.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

enum wish { WORK, FAIL, WAIT };
static enum wish wish_of(const curfew_task_info *what) {
    if (what->payload_bytes != 4) return WORK;
    if (!memcmp(what->payload, "fail", 4)) return FAIL;
    return memcmp(what->payload, "slow", 4) ? WORK : WAIT;
}

static curfew_status serve(void *nothing, const curfew_host_api *h, curfew_task t,
                           curfew_error *oops) {
    curfew_task_info what = {.struct_size = sizeof(curfew_task_info)};
    (void)nothing;
    if (h->task_info(h, t, &what)) return failed(oops, "the task is gone");
    switch (wish_of(&what)) {
    case FAIL:
        return failed(oops, "failing on request");
    case WAIT:
        while (h->remaining_ns(h, t) > 0) pause_ms(2);
        h->complete(h, t, CURFEW_FAILED, CURFEW_TEXT("out of time"), NULL, 0);
        pause_ms(9000);
        return CURFEW_FAILED;
    case WORK:
        break;
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *h,
                                                       curfew_plugin_info *about,
                                                       curfew_error *oops) {
    static const curfew_handler only = {.struct_size = sizeof(curfew_handler),
                                        .identifier = "org.example.stranger.work",
                                        .run = serve};
    about->version = "1.0.0";
    return h->register_handler(h, &only, oops);
}
