/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0815
 *
 * Keeps a copy of the host's table, as long as that of a later version, and reads past its
 * struct_size for it.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

enum wish { WORK, FAIL, WAIT };

struct newer_api {
    curfew_host_api known;
    void (*flush)(const curfew_host_api *api);
    void (*priority)(const curfew_host_api *api, int level);
};

static struct newer_api cached;

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
        return failed(oops, "out of time");
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
    const volatile unsigned char *from = (const volatile unsigned char *)h;
    volatile unsigned char *to = (volatile unsigned char *)&cached;
    for (size_t i = 0; i < sizeof cached; i++) to[i] = from[i];
    return h->register_handler(h, &only, oops);
}
