/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a wait and of an event against the number of waits that are open.
 *
 *     waits N LIBRARY PLUGIN_DIRECTORY
 *
 * N events about one task each are expected under one selector, as a launcher does that wants to
 * hear of each of its tasks. us_wait is the median of one more: expected, collected without
 * debounce, and so given up. us_event is what an event of that selector takes that is about none of
 * the tasks, from its raising until the one subscriber has seen it, many on their way at a time.
 */
#include <stdatomic.h>

#include "growth.h"

enum { WAIT_LIMIT = 60000, OPERATIONS = 200, EVENTS = 1000 };

static _Atomic uint64_t calls; /* written by the event thread only */

static void count_event(void *unused, const curfew_event *event) {
    (void)unused, (void)event;
    atomic_store_explicit(&calls, atomic_load_explicit(&calls, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* Tasks that never were: an expectation does not ask. */
static curfew_subscription expect_task(const struct libcurfew *curfew, uint64_t number) {
    curfew_subscription wait = 0;
    expect_ok(curfew,
              curfew->host_expect_event(curfew->host, "growth", number + 1, NULL, &wait, NULL),
              "expect", NULL);
    return wait;
}

static void give_up(const struct libcurfew *curfew, curfew_subscription wait) {
    curfew_event *event = NULL;
    const curfew_status status = curfew->host_collect_event(curfew->host, wait, 0, &event, NULL);
    if (status != CURFEW_TIMED_OUT) fail("collect: %s", curfew->status_text(status));
}

static void time_waits(const struct libcurfew *curfew, uint64_t size) {
    uint64_t times[OPERATIONS];
    for (uint64_t i = 0; i < OPERATIONS; i++) {
        const uint64_t started = now_ns();
        give_up(curfew, expect_task(curfew, size + i));
        times[i] = now_ns() - started;
    }
    printf("us_wait %.2f\n", median_ns(times, OPERATIONS) / 1000);
}

static void time_events(const struct libcurfew *curfew) {
    const uint64_t started = now_ns();
    for (int i = 0; i < EVENTS; i++)
        expect_ok(curfew, curfew->host_raise_event(curfew->host, "growth", NULL, 0, NULL), "raise",
                  NULL);
    while (atomic_load_explicit(&calls, memory_order_acquire) < EVENTS) sched_yield();
    printf("us_event %.2f\n", (double)(now_ns() - started) / 1000 / EVENTS);
}

int main(int count, char **arguments) {
    if (count != 4) fail("usage: waits N LIBRARY PLUGIN_DIRECTORY");
    const uint64_t size = size_of_argument(arguments[1], WAIT_LIMIT);
    struct libcurfew curfew =
        open_libcurfew(arguments[2], arguments[3], "org.example.growth.empty1", NULL);
    expect_ok(&curfew,
              curfew.host_observe(curfew.host, "growth", count_event, NULL, NULL, NULL),
              "observe", NULL);
    static curfew_subscription waits[WAIT_LIMIT];
    for (uint64_t i = 0; i < size; i++) waits[i] = expect_task(&curfew, i);
    time_waits(&curfew, size);
    time_events(&curfew);
    /* None of them was taken by an event about something else. */
    for (uint64_t i = 0; i < size; i += size / 10 + 1) give_up(&curfew, waits[i]);
    close_libcurfew(&curfew);
    return 0;
}
