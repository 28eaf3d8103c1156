/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0810
 * flags: -Wl,--no-warn-execstack
 *
 * Sorts with a function inside a function: gcc puts code for it on the stack, which then has to
 * be executable.
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
        unsigned char first[64];
        uint64_t count = about.payload_bytes;
        if (count > sizeof first) count = sizeof first;
        if (count > 0) memcpy(first, about.payload, count);
        const uint64_t turn = about.payload_bytes;
        int compare(const void *left, const void *right) {
            const int order = *(const unsigned char *)left - *(const unsigned char *)right;
            return turn % 2 == 0 ? order : -order;
        }
        qsort(first, count, 1, compare);
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
