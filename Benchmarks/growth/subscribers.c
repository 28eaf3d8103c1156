/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of an event against the number of subscriptions.
 *
 *     subscribers same N LIBRARY PLUGIN_DIRECTORY
 *     subscribers different N LIBRARY PLUGIN_DIRECTORY
 *
 * same: N C functions (one, N times over) subscribe to one done event, and about 200,000 calls are
 * brought about by tasks of its handler: ns_per_delivery is for each call, launch included.
 * different: N functions subscribe to N events, and one of those is raised: ns_per_event may not
 * grow with N.
 *
 * us_subscribe and us_unsubscribe are for each of the N, ended in another order than made.
 */
#include <stdatomic.h>

#include "growth.h"

enum { SUBSCRIBER_LIMIT = 30000, CALLS = 200000, EVENTS = 200000 };

static curfew_subscription subscriptions[SUBSCRIBER_LIMIT];
static uint64_t size;
static _Alignas(64) _Atomic uint64_t calls; /* written by the event thread only */

static void count_call(void) {
    atomic_store_explicit(&calls, atomic_load_explicit(&calls, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void count_done(void *event_data, bool success, const char *error) {
    (void)event_data, (void)error;
    if (!success) fail("a task failed");
    count_call();
}

static void count_event(void *number, const curfew_event *event) {
    if (number != NULL || event->count != 0) fail("an event came to another's subscriber");
    count_call();
}

static void wait_for_calls(uint64_t count) {
    while (atomic_load_explicit(&calls, memory_order_acquire) < count) sched_yield();
}

static void subscribe_same(const struct libcurfew *curfew) {
    for (uint64_t i = 0; i < size; i++) {
        curfew_error error = {.struct_size = sizeof error};
        expect_ok(curfew,
                  curfew->host_subscribe(curfew->host, "empty1_done::",
                                         (curfew_any_function)count_done, NULL, &subscriptions[i],
                                         &error),
                  "subscribe", &error);
    }
}

static void subscribe_different(const struct libcurfew *curfew) {
    for (uint64_t i = 0; i < size; i++) {
        char selector[32];
        snprintf(selector, sizeof selector, "growth_%" PRIu64, i);
        curfew_error error = {.struct_size = sizeof error};
        expect_ok(curfew,
                  curfew->host_observe(curfew->host, selector, count_event, (void *)(uintptr_t)i,
                                       &subscriptions[i], &error),
                  "observe", &error);
    }
}

static void unsubscribe(const struct libcurfew *curfew) {
    uint64_t random = 1;
    for (uint64_t left = size; left > 0; left--) {
        const uint64_t place = next_random(&random) % left;
        expect_ok(curfew, curfew->host_unsubscribe(curfew->host, subscriptions[place], NULL),
                  "unsubscribe", NULL);
        subscriptions[place] = subscriptions[left - 1];
    }
}

static double launch_all(const struct libcurfew *curfew) {
    const uint64_t tasks = size < CALLS / 20 ? CALLS / size : 20;
    const uint64_t started = now_ns();
    for (uint64_t i = 0; i < tasks; i++) launch_patiently(curfew, curfew->handler, NULL, NULL);
    wait_for_calls(tasks * size);
    const uint64_t ended = now_ns();
    wait_for_successes(curfew, curfew->handler, tasks);
    return (double)(ended - started) / (double)(tasks * size);
}

static double raise_all(const struct libcurfew *curfew) {
    const uint64_t started = now_ns();
    for (int i = 0; i < EVENTS; i++) {
        curfew_status status;
        while ((status = curfew->host_raise_event(curfew->host, "growth_0", NULL, 0, NULL)) ==
               CURFEW_BUSY)
            sched_yield();
        expect_ok(curfew, status, "raise", NULL);
    }
    wait_for_calls(EVENTS);
    return (double)(now_ns() - started) / EVENTS;
}

int main(int count, char **arguments) {
    const bool same = count == 5 && strcmp(arguments[1], "same") == 0;
    if (!same && (count != 5 || strcmp(arguments[1], "different") != 0))
        fail("usage: subscribers same | different N LIBRARY PLUGIN_DIRECTORY");
    size = size_of_argument(arguments[2], SUBSCRIBER_LIMIT);
    if (size == 0) fail("at least one subscriber");
    struct libcurfew curfew =
        open_libcurfew(arguments[3], arguments[4], "org.example.growth.empty1", NULL);

    const uint64_t started = now_ns();
    if (same)
        subscribe_same(&curfew);
    else
        subscribe_different(&curfew);
    const uint64_t subscribed = now_ns();
    const double cost = same ? launch_all(&curfew) : raise_all(&curfew);
    const uint64_t delivered = atomic_load_explicit(&calls, memory_order_acquire);
    const uint64_t ending = now_ns();
    unsubscribe(&curfew);
    const uint64_t ended = now_ns();

    close_libcurfew(&curfew);
    if (atomic_load_explicit(&calls, memory_order_acquire) != delivered)
        fail("a subscriber was called too often");
    printf("%s %.1f\n", same ? "ns_per_delivery" : "ns_per_event", cost);
    printf("us_subscribe %.3f\n", (double)(subscribed - started) / 1000 / (double)size);
    printf("us_unsubscribe %.3f\n", (double)(ended - ending) / 1000 / (double)size);
    return 0;
}
