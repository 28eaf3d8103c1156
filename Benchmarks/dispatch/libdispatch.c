/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C program would use without Curfew: libdispatch, as the Swift toolchain ships it.
 *
 *     dispatch/libdispatch serial | global | timer
 *
 * serial: dispatch_async_f to one serial queue. global: to a global concurrent queue. Neither has
 * a deadline. timer: to a serial queue, each task with a one-shot timer source of 30 s that would
 * tell it to stop, cancelled and released when the task ends.
 *
 * libdispatch's queues have no bound; the launcher holds itself to IN_FLIGHT tasks not yet over,
 * as Curfew's queue holds its launcher. Without that, a million queued items would cost memory too.
 */
#include <dispatch/dispatch.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../measure.h"

static _Alignas(64) _Atomic uint64_t over;
static _Alignas(64) _Atomic uint64_t expired;

/* The only writer is the queue's one running item. */
static void empty_serial(void *unused) {
    (void)unused;
    atomic_store_explicit(&over, atomic_load_explicit(&over, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void empty_global(void *unused) {
    (void)unused;
    atomic_fetch_add_explicit(&over, 1, memory_order_release);
}

static void expire(void *unused) {
    (void)unused;
    atomic_fetch_add_explicit(&expired, 1, memory_order_relaxed);
}

static void empty_with_timer(void *source) {
    dispatch_source_cancel(source);
    dispatch_release(source);
    empty_serial(NULL);
}

static void launch_with_timer(dispatch_queue_t queue, dispatch_queue_t timers) {
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, timers);
    if (source == NULL) fail("dispatch/libdispatch: no timer source");
    dispatch_source_set_event_handler_f(source, expire);
    dispatch_source_set_timer(source, dispatch_time(DISPATCH_TIME_NOW, 30 * (int64_t)NSEC_PER_SEC),
                              DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(source);
    dispatch_async_f(queue, source, empty_with_timer);
}

int main(int count, char **arguments) {
    alarm(60); /* rather than hang */
    const char *variant = count == 2 ? arguments[1] : "";
    const bool timer = strcmp(variant, "timer") == 0;
    const bool global = strcmp(variant, "global") == 0;
    if (!timer && !global && strcmp(variant, "serial") != 0)
        fail("usage: dispatch/libdispatch serial | global | timer");

    dispatch_queue_t pool = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
    dispatch_queue_t queue = global ? pool : dispatch_queue_create("empty", NULL);
    const dispatch_function_t work = global ? empty_global : empty_serial;

    uint64_t full = 0, seen = 0;
    const uint64_t started = now_ns();
    for (uint64_t i = 0; i < TASKS; i++) {
        while (i - seen >= IN_FLIGHT) {
            seen = atomic_load_explicit(&over, memory_order_acquire);
            if (i - seen < IN_FLIGHT) break;
            full++;
            sched_yield();
        }
        if (timer)
            launch_with_timer(queue, pool);
        else
            dispatch_async_f(queue, NULL, work);
    }
    while (atomic_load_explicit(&over, memory_order_acquire) < TASKS) sched_yield();
    const uint64_t ended = now_ns();

    if (over != TASKS || expired != 0)
        fail("dispatch/libdispatch: %" PRIu64 " tasks over, %" PRIu64 " expired", over, expired);
    print_ns_per_task(started, ended);
    printf("full %" PRIu64 "\n", full);
    return 0;
}
