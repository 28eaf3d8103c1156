/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers whose tasks make callgrind count from the first line of a batch's first task to the last
 * line of its last one, so that what a worker does between them is counted, and no waiting:
 *
 *     org.example.count.returned  the function returns CURFEW_OK
 *     org.example.count.inside    the function completes its task, then returns
 *     org.example.count.pending   the function returns CURFEW_PENDING
 *     org.example.count.later     completes what is pending, all in one task
 *
 * One worker runs them all, so that nothing here is locked. `begin` is the first task of all.
 */
#include <valgrind/callgrind.h>

#include "../../plugin.h"
#include "record.h"

CURFEW_PLUGIN_NOTE();

enum { BATCH_MAX = 4096 };

static struct count_record *record;
static curfew_task pending[BATCH_MAX];
static uint64_t ran;

static void toggle(void) {
    if (record->counts) CALLGRIND_TOGGLE_COLLECT;
}

static void enter(void) {
    if (ran++ == 0) toggle();
}

static void leave(void) {
    if (ran < record->batch) return;
    toggle();
    ran = 0;
    sem_post(&record->over);
}

static void complete(const curfew_host_api *api, curfew_task task) {
    if (api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0) != CURFEW_OK) record->failed++;
}

static curfew_status run_returned(void *handler_data, const curfew_host_api *api, curfew_task task,
                                  curfew_error *host_error) {
    (void)handler_data, (void)api, (void)task, (void)host_error;
    enter();
    leave();
    return CURFEW_OK;
}

static curfew_status run_inside(void *handler_data, const curfew_host_api *api, curfew_task task,
                                curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    enter();
    complete(api, task);
    leave();
    return CURFEW_OK;
}

static curfew_status run_pending(void *handler_data, const curfew_host_api *api, curfew_task task,
                                 curfew_error *host_error) {
    (void)handler_data, (void)api, (void)host_error;
    enter();
    pending[ran - 1] = task;
    leave();
    return CURFEW_PENDING;
}

static curfew_status run_later(void *handler_data, const curfew_host_api *api, curfew_task task,
                               curfew_error *host_error) {
    (void)handler_data, (void)task, (void)host_error;
    toggle();
    for (uint64_t i = 0; i < record->batch; i++) complete(api, pending[i]);
    toggle();
    sem_post(&record->over);
    return CURFEW_OK;
}

static curfew_status run_begin(void *handler_data, const curfew_host_api *api, curfew_task task,
                               curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    record = address_in_payload(api, task);
    if (record == NULL || record->batch > BATCH_MAX) return CURFEW_INVALID;
    sem_post(&record->over);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    static const struct bench_handler handlers[] = {
        {"org.example.count.begin", run_begin},       {"org.example.count.returned", run_returned},
        {"org.example.count.inside", run_inside},     {"org.example.count.pending", run_pending},
        {"org.example.count.later", run_later},
    };
    return register_all(api, handlers, sizeof handlers / sizeof handlers[0], host_error);
}
