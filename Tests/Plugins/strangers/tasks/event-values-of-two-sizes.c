/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0836 CF0871
 *
 * Sets struct_size in the first of two event values only. In an array all elements have the same.
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
        return CURFEW_FAILED;
    }
    {
        curfew_value v[2];

        memset(v, 0, sizeof v);
        v[0].struct_size = sizeof v[0];
        v[0].type = CURFEW_TYPE_TEXT;
        v[0].text = "found";
        v[0].text_bytes = 5;
        v[1].type = CURFEW_TYPE_INT64;
        v[1].integer = 17;
        host->raise(host, id, "work_found", v, 2);
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
