/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0834
 *
 * Returns 33 when it is stopped, one more than the last status there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curfew/plugin.h>

#define IS(ti, word) \
    ((ti).payload_bytes == sizeof word - 1 && !memcmp((ti).payload, word, sizeof word - 1))

CURFEW_PLUGIN_NOTE();

static curfew_status do_work(void *unused, const curfew_host_api *host, curfew_task id,
                             curfew_error *err)
{
    curfew_task_info ti;

    (void) unused;
    memset(&ti, 0, sizeof ti);
    ti.struct_size = sizeof ti;
    if (host->task_info(host, id, &ti) != CURFEW_OK) {
        strcpy(err->message, "cannot describe the task");
        return CURFEW_FAILED;
    }
    if (IS(ti, "fail")) {
        strcpy(err->message, "the payload wants a failure");
        return CURFEW_FAILED;
    }
    if (IS(ti, "slow")) {
        while (!host->is_expired(host, id))
            usleep(2000);
        strcpy(err->message, "stopped before the end");
        return CURFEW_STORE_UNREACHABLE + 1;
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT
curfew_status curfew_plugin_entry(const curfew_host_api *host, curfew_plugin_info *self,
                                  curfew_error *err)
{
    curfew_handler h;

    (void) self;
    memset(&h, 0, sizeof h);
    h.struct_size = sizeof h;
    h.identifier = "org.example.stranger.work";
    h.run = do_work;
    return host->register_handler(host, &h, err);
}
