/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * level: 3
 *
 * Keeps the names of its tasks in a list with room for 299, and aborts when the list is full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curfew/plugin.h>

#define IS(ti, word) \
    ((ti).payload_bytes == sizeof word - 1 && !memcmp((ti).payload, word, sizeof word - 1))

CURFEW_PLUGIN_NOTE();

static _Atomic unsigned count;
static curfew_task seen[299];

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
    unsigned at = count++;
    if (at >= sizeof seen / sizeof *seen)
        abort();
    seen[at] = id;
    if (IS(ti, "fail")) {
        strcpy(err->message, "the payload wants a failure");
        return CURFEW_FAILED;
    }
    if (IS(ti, "slow")) {
        while (!host->is_expired(host, id))
            usleep(2000);
        strcpy(err->message, "stopped before the end");
        return CURFEW_FAILED;
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
