/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lateness of libdispatch's timers, as the Swift toolchain ships it: for each span a timer source
 * of its own, strict and without leeway, whose handler runs on a serial queue.
 *
 *     libdispatch running | pending
 *
 * running: two spans at a time, as Curfew has two tasks at a time, each begun by the end of the one
 * before, beside two threads that burn CPU.
 * pending: all deadlines are armed before the first is due, in a process that does nothing else.
 */
#include <dispatch/dispatch.h>
#include <unistd.h>

#include "burners.h"
#include "lateness.h"

enum { AT_A_TIME = 2 };

static uint64_t spans[SPANS_MAX];
static int64_t lateness[SPANS_MAX];

struct timer {
    dispatch_source_t source;
    uint64_t deadline;
    int number;
};

static struct timer timers[SPANS_MAX];
static struct {
    dispatch_queue_t queue;
    dispatch_semaphore_t all_over;
    int count, over;
    int begun; /* the chain's next one; only the queue changes it */
    bool is_chain;
} shared;

static void begin(int number);

/* On the queue, one at a time. */
static void fired(void *data) {
    const uint64_t now = now_ns();
    struct timer *timer = data;
    lateness[timer->number] = (int64_t)(now - timer->deadline);
    dispatch_source_cancel(timer->source);
    dispatch_release(timer->source);
    if (shared.is_chain && shared.begun < shared.count) begin(shared.begun++);
    if (++shared.over == shared.count) dispatch_semaphore_signal(shared.all_over);
}

static void begin(int number) {
    struct timer *timer = &timers[number];
    timer->number = number;
    timer->source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT,
                                           shared.queue);
    if (timer->source == NULL) fail("libdispatch: no timer source");
    dispatch_set_context(timer->source, timer);
    dispatch_source_set_event_handler_f(timer->source, fired);
    /* Read before libdispatch reads the same clock, so that a punctual timer is not early. */
    timer->deadline = now_ns() + spans[number];
    dispatch_source_set_timer(timer->source,
                              dispatch_time(DISPATCH_TIME_NOW, (int64_t)spans[number]),
                              DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer->source);
}

static void begin_chain(void *unused) {
    (void)unused;
    while (shared.begun < AT_A_TIME) begin(shared.begun++);
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: libdispatch running | pending");
    alarm(60);
    shared.count = make_spans(argv[1], spans);
    shared.is_chain = shared.count == RUNNING;
    shared.queue = dispatch_queue_create_with_target(
        "expired", DISPATCH_QUEUE_SERIAL,
        dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0));
    shared.all_over = dispatch_semaphore_create(0);

    static struct burners burners;
    start_burners(&burners, shared.is_chain);
    if (shared.is_chain) {
        dispatch_async_f(shared.queue, NULL, begin_chain);
    } else {
        const uint64_t started = now_ns();
        for (int i = 0; i < shared.count; i++) begin(i);
        if (now_ns() > started + PENDING_FIRST_NS) fail("armed too late");
    }
    dispatch_semaphore_wait(shared.all_over, DISPATCH_TIME_FOREVER);
    stop_burners(&burners);
    print_lateness(lateness, shared.count);
    return 0;
}
