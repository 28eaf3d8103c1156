/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0855 CF0813 CF0854
 * flags: -lm
 *
 * Sets the rounding mode in its entry, on the thread that loads it.
 */
#include "stranger.h"

#include <fenv.h>

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
        break;
    }
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *self,
                                                       curfew_error *problem) {
    fesetround(FE_TOWARDZERO);
    (void)self;
    curfew_handler work = {0};
    work.struct_size = sizeof work;
    work.identifier = "org.example.stranger.work";
    work.run = do_work;
    return host->register_handler(host, &work, problem);
}
