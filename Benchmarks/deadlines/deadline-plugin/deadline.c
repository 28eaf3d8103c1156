/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers whose tasks differ in nothing but how they end:
 *
 *     org.example.deadline.returned  the function returns CURFEW_OK
 *     org.example.deadline.inside    the function completes its task, then returns
 *     org.example.deadline.pending   the function returns CURFEW_PENDING, and another task of this
 *                                    handler, one batch later, completes it
 *     org.example.deadline.held      the function returns CURFEW_PENDING; `end` completes it
 *
 * `begin` is the first task of all and `end` the last. No two tasks run at a time, so that nothing
 * here is locked.
 */
#include "../../plugin.h"
#include "record.h"

CURFEW_PLUGIN_NOTE();

enum { HELD_MAX = 100000, BATCH_MAX = 4096 };

static struct deadline_record *record;
static curfew_task held[HELD_MAX], pending[BATCH_MAX];
static uint64_t held_count, ran;

/* Returns the number of this task in its batch. */
static uint64_t enter(void) {
    if (ran == 0) record->first_ns = now_ns();
    return ran++;
}

static void leave(void) {
    if (ran < record->batch) return;
    ran = 0;
    record->last_ns = now_ns();
    sem_post(&record->over);
}

static void complete(const curfew_host_api *api, curfew_task task) {
    if (api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0) != CURFEW_OK) record->refused++;
}

static void complete_pending(const curfew_host_api *api, curfew_task *task) {
    if (*task == 0) return;
    complete(api, *task);
    record->completed++;
    *task = 0;
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
    (void)handler_data, (void)host_error;
    curfew_task *place = &pending[enter() % BATCH_MAX];
    complete_pending(api, place);
    *place = task;
    leave();
    return CURFEW_PENDING;
}

static curfew_status run_held(void *handler_data, const curfew_host_api *api, curfew_task task,
                              curfew_error *host_error) {
    (void)handler_data, (void)api, (void)host_error;
    if (held_count == HELD_MAX) return CURFEW_INVALID;
    held[held_count++] = task;
    if (held_count == HELD_MAX) sem_post(&record->over);
    return CURFEW_PENDING;
}

static curfew_status run_begin(void *handler_data, const curfew_host_api *api, curfew_task task,
                               curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    record = address_in_payload(api, task);
    if (record == NULL || record->batch > BATCH_MAX) return CURFEW_INVALID;
    sem_post(&record->over);
    return CURFEW_OK;
}

static curfew_status run_end(void *handler_data, const curfew_host_api *api, curfew_task task,
                             curfew_error *host_error) {
    (void)handler_data, (void)task, (void)host_error;
    for (uint64_t i = 0; i < held_count; i++) complete(api, held[i]);
    for (uint64_t i = 0; i < BATCH_MAX; i++) complete_pending(api, &pending[i]);
    sem_post(&record->over);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    static const struct bench_handler handlers[] = {
        {"org.example.deadline.returned", run_returned},
        {"org.example.deadline.inside", run_inside},
        {"org.example.deadline.pending", run_pending},
        {"org.example.deadline.held", run_held},
        {"org.example.deadline.begin", run_begin},
        {"org.example.deadline.end", run_end},
    };
    return register_all(api, handlers, sizeof handlers / sizeof handlers[0], host_error);
}
