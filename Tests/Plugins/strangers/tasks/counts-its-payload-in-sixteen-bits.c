/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0833
 *
 * Keeps the length of its payload in 16 bits, makes a buffer of that, and copies all of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curfew/plugin.h>

#define IS(ti, word) \
    ((ti).payload_bytes == sizeof word - 1 && !memcmp((ti).payload, word, sizeof word - 1))

CURFEW_PLUGIN_NOTE();

static volatile char last;

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
        return CURFEW_FAILED;
    }
    {
        unsigned short size = (unsigned short) ti.payload_bytes;
        char *volatile copy = malloc(size + 1u);

        if (copy != NULL && ti.payload_bytes > 0)
            memcpy(copy, ti.payload, ti.payload_bytes);
        if (copy != NULL)
            last = copy[0];
        free(copy);
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
