/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849
 * level: 3
 *
 * Maps memory in each task, and unmaps less of it than it has mapped.
 */
#include "stranger.h"

#include <sys/mman.h>

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
        const size_t length = 64 * 1024;
        char *area = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) return failed(problem, "no memory");
        memset(area, 1, length);
        munmap(area, 4096);
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
