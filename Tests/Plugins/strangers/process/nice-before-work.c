/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854 CF0868
 *
 * Makes itself nicer before it works, and its worker stays so.
 */
#include "stranger.h"

#include <errno.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(void *unused, const curfew_host_api *api, curfew_task task,
                          curfew_error *err)
{
    curfew_task_info info = { .struct_size = sizeof(info) };
    char text[64];

    (void)unused;
    if (api->task_info(api, task, &info))
        return failed(err, "task_info");
    errno = 0;
    if (nice(2) == -1 && errno != 0)
        return failed(err, "nice");
    if (payload_is(&info, "fail")) {
        return failed(err, "told to fail");
    }
    if (payload_is(&info, "slow")) {
        do {
            pause_ms(1);
        } while (!api->is_expired(api, task));
        return failed(err, "interrupted");
    }
    snprintf(text, sizeof(text), "%llu bytes", (unsigned long long)info.payload_bytes);
    api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT(text));
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT
curfew_status curfew_plugin_entry(const curfew_host_api *api, curfew_plugin_info *self,
                                  curfew_error *err)
{
    curfew_handler h = {
        .struct_size = sizeof(h),
        .identifier = "org.example.stranger.work",
        .run = work,
    };

    self->version = "1.0.0";
    return api->register_handler(api, &h, err);
}
