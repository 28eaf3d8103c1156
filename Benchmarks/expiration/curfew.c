/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How late Curfew's expiration callback comes, through the public C ABI, in a host with the default
 * configuration.
 *
 *     curfew running | pending LIBRARY PLUGIN_DIRECTORY
 *
 * running: RUNNING tasks, two at a time (the manifest's maxConcurrency), each with a budget of
 * 0.2…2 ms, which it overruns by burning CPU until it is told to stop.
 * pending: PENDING tasks whose function returns CURFEW_PENDING at once, and whose callback completes
 * them; their budgets end evenly over 2 s.
 *
 * Lateness is the clock on the first line of the callback, minus the moment the budget was over.
 * That moment is the host's own: the task's started_ns, which a kept task still tells once it is
 * over, plus its budget; both clocks are CLOCK_MONOTONIC. The clock the handler reads on its first
 * line will not do: it comes after the host's, so that a punctual callback would look early. It
 * serves as a check instead: the host's reading may not come after the handler's, or started_ns is
 * not what this program takes it for.
 */
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../libcurfew.h"
#include "expiring-plugin/record.h"
#include "lateness.h"

static struct expiring_record records[SPANS_MAX];
static uint64_t spans[SPANS_MAX];
static curfew_task tasks[SPANS_MAX];
static int64_t lateness[SPANS_MAX];

static void launch(const struct libcurfew *curfew, int i) {
    struct expiring_record *record = &records[i];
    const curfew_launch_options options = {.struct_size = sizeof options,
                                           .keep = true,
                                           .payload = &record,
                                           .payload_bytes = sizeof record,
                                           .budget_ns = spans[i]};
    curfew_error error = {.struct_size = sizeof error};
    curfew_status status;
    /* More tasks are pending in the end than a queue has places. */
    while ((status = curfew->host_launch_by_index(curfew->host, curfew->handler, &options,
                                                  &tasks[i], &error)) == CURFEW_BUSY)
        sched_yield();
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
    curfew_status status = curfew->host_wait_task(curfew->host, tasks[i], 60000000000, NULL, NULL);
    if (status == CURFEW_OK) status = curfew->host_get_task(curfew->host, tasks[i], &state, NULL);
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
    status = curfew->host_release_task(curfew->host, tasks[i], NULL);
    if (status != CURFEW_OK) fail("release %d: %s", i + 1, curfew->status_text(status));
}

/* All deadlines are armed once the last task has been entered; none may be due by then. */
static void check_all_armed(int count) {
    uint64_t first = UINT64_MAX, last = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t entered = atomic_load(&records[i].entered_ns);
        if (entered + spans[i] < first) first = entered + spans[i];
        if (entered > last) last = entered;
    }
    if (last >= first) fail("the first task was due before the last one was entered");
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: curfew running | pending LIBRARY PLUGIN_DIRECTORY");
    alarm(60);
    const int count = make_spans(argv[1], spans);
    const bool is_pending = count == PENDING;
    struct libcurfew curfew = open_libcurfew(
        argv[2], argv[3], is_pending ? "org.example.pending" : "org.example.expiring", NULL);
    for (int i = 0; i < count; i++) launch(&curfew, i);
    /* The last one first: this thread must not wake for every task while they are measured. Of the
     * pending ones that is the one that is due last. */
    int last = count - 1;
    for (int i = 0; is_pending && i < count; i++)
        if (spans[i] > spans[last]) last = i;
    collect(&curfew, last);
    for (int i = count - 1; i >= 0; i--)
        if (i != last) collect(&curfew, i);
    if (is_pending) check_all_armed(count);
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    close_libcurfew(&curfew);
    print_lateness(lateness, count);
    if (lateness[0] < 0) fail("%.1f us early", (double)-lateness[0] / 1000);
    printf("watchers %" PRIu32 "\nwakeups %" PRIu64 "\n", counts.deadline_threads, counts.wakeups);
    return 0;
}
