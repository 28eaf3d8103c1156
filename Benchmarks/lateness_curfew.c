/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How late Curfew's expiration callback comes while every worker burns CPU: SPANS tasks, two at a
 * time (the manifest's maxConcurrency), each with a budget of 0.2…2 ms that it overruns.
 *
 *     lateness_curfew LIBRARY PLUGIN_DIRECTORY
 *
 * Lateness is the clock on the first line of the callback, minus the moment the budget was over.
 * That moment is the host's own: the task's started_ns, which a kept task still tells once it is
 * over, plus its budget; both clocks are CLOCK_MONOTONIC. The clock the handler reads on its first
 * line will not do: it comes after the host's, so that a punctual callback would look early. It
 * serves as a check instead: the host's reading may not come after the handler's, or started_ns is
 * not what this program takes it for.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "expiring-plugin/record.h"
#include "libcurfew.h"

static struct expiring_record records[SPANS];
static uint64_t spans[SPANS];
static curfew_task tasks[SPANS];
static int64_t lateness[SPANS];

static void launch(const struct libcurfew *curfew, int i) {
    struct expiring_record *record = &records[i];
    const curfew_launch_options options = {.struct_size = sizeof options,
                                           .keep = true,
                                           .payload = &record,
                                           .payload_bytes = sizeof record,
                                           .budget_ns = spans[i]};
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status =
        curfew->host_launch_at(curfew->host, curfew->handler, &options, &tasks[i], &error);
    if (status != CURFEW_OK)
        fail("launch %d: %s: %s", i + 1, curfew->status_text(status), error.message);
}

/* A callback may still be on its way when its task is over. */
static void wait_for_callback(const struct expiring_record *record, int i) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int tries = 0; tries < 1000; tries++) {
        if (atomic_load_explicit(&record->callbacks, memory_order_acquire) != 0) return;
        nanosleep(&pause, NULL);
    }
    fail("task %d is over, but its callback was never called", i + 1);
}

static void collect(const struct libcurfew *curfew, int i) {
    const struct expiring_record *record = &records[i];
    curfew_task_state state = {.struct_size = sizeof state};
    curfew_status status = curfew->host_wait(curfew->host, tasks[i], 60000000000, NULL);
    if (status == CURFEW_OK) status = curfew->host_query(curfew->host, tasks[i], &state);
    if (status != CURFEW_OK) fail("task %d: %s", i + 1, curfew->status_text(status));
    if (state.outcome != CURFEW_OUTCOME_EXPIRED || state.reason != CURFEW_REASON_BUDGET)
        fail("task %d: outcome %d for reason %d, not expired by its budget", i + 1, state.outcome,
             state.reason);
    wait_for_callback(record, i);
    if (record->callbacks != 1) fail("task %d: %u callbacks", i + 1, record->callbacks);
    if (state.budget_ns != spans[i] || state.started_ns == 0 ||
        state.started_ns > record->entered_ns)
        fail("task %d: started at %" PRIu64 " with a budget of %" PRIu64
             ", but was entered at %" PRIu64 " with %" PRIu64,
             i + 1, state.started_ns, state.budget_ns, record->entered_ns, spans[i]);
    lateness[i] = (int64_t)(record->expired_ns - (state.started_ns + state.budget_ns));
    status = curfew->host_release(curfew->host, tasks[i]);
    if (status != CURFEW_OK) fail("release %d: %s", i + 1, curfew->status_text(status));
}

int main(int count, char **arguments) {
    if (count != 3) fail("usage: lateness_curfew LIBRARY PLUGIN_DIRECTORY");
    struct libcurfew curfew = open_libcurfew(arguments[1], arguments[2], "org.example.expiring", NULL);
    make_spans(spans);
    for (int i = 0; i < SPANS; i++) launch(&curfew, i);
    /* The last one first: this thread must not wake for every task while they are measured. */
    for (int i = SPANS - 1; i >= 0; i--) collect(&curfew, i);
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_counts(curfew.host, &counts) != CURFEW_OK) fail("no counts");
    close_libcurfew(&curfew);
    print_lateness(lateness);
    printf("watchers %" PRIu32 "\n", counts.watchers);
    return 0;
}
