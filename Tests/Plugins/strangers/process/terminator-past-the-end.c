/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * level: 3
 * race: the allocator has room behind most sizes
 *
 * Allocates a copy of its payload without room for the zero that it writes behind it.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

enum order { ORDER_WORK, ORDER_FAIL, ORDER_WAIT };

static enum order read_order(const curfew_task_info *about) {
    if (payload_is(about, "fail")) return ORDER_FAIL;
    return payload_is(about, "slow") ? ORDER_WAIT : ORDER_WORK;
}

static curfew_status do_work(void *context, const curfew_host_api *host, curfew_task id,
                             curfew_error *problem) {
    (void)context;
    curfew_task_info about;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    const curfew_status known = host->task_info(host, id, &about);
    if (known != CURFEW_OK) return failed(problem, "the host does not know the task");
    switch (read_order(&about)) {
    case ORDER_FAIL:
        return failed(problem, "the payload says fail");
    case ORDER_WAIT:
        while (host->remaining_ns(host, id) > 0) pause_ms(2);
        return failed(problem, "stopped before the end");
    case ORDER_WORK:
        char *copy = malloc(about.payload_bytes);
        if (copy == NULL) return failed(problem, "no memory");
        if (about.payload_bytes > 0) memcpy(copy, about.payload, about.payload_bytes);
        ((volatile char *)copy)[about.payload_bytes] = '\0';
        free(copy);
        break;
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *self,
                                                       curfew_error *problem) {
    (void)self;
    curfew_handler work = {0};
    work.struct_size = sizeof work;
    work.identifier = "org.example.stranger.work";
    work.run = do_work;
    return host->register_handler(host, &work, problem);
}
