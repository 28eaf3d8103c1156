/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdispatch, as the Swift toolchain ships it: timer sources on a serial queue.
 *
 *     libdispatch rearm | create
 *
 * rearm: a source that is armed gets a new time (dispatch_source_set_timer), which cancels and arms
 * in one. create: a source is cancelled and released, and another one created, set and resumed; the
 * time ends when all that were cancelled are gone. The clock is read for each.
 */
#include <dispatch/dispatch.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "deadlines.h"

static dispatch_source_t sources[ARMED + IN_FLIGHT];
static _Atomic int fired, gone;

static void on_timeout(void *data) {
    (void)data;
    atomic_fetch_add(&fired, 1);
}

static void on_end(void *data) {
    (void)data;
    atomic_fetch_add_explicit(&gone, 1, memory_order_release);
}

static void set(dispatch_source_t source) {
    dispatch_source_set_timer(source, dispatch_time(DISPATCH_TIME_NOW, BUDGET_NS),
                              DISPATCH_TIME_FOREVER, 0);
}

static dispatch_source_t arm(dispatch_queue_t queue) {
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    if (source == NULL) fail("libdispatch: no timer source");
    dispatch_set_context(source, sources);
    dispatch_set_finalizer_f(source, on_end);
    dispatch_source_set_event_handler_f(source, on_timeout);
    set(source);
    dispatch_resume(source);
    return source;
}

static void cancel(dispatch_source_t source) {
    dispatch_source_cancel(source);
    dispatch_release(source);
}

static void nothing(void *data) { (void)data; }

int main(int argc, char **argv) {
    const bool rearm = argc == 2 && strcmp(argv[1], "rearm") == 0;
    if (!rearm && (argc != 2 || strcmp(argv[1], "create") != 0))
        fail("usage: libdispatch rearm | create");
    alarm(60);
    dispatch_queue_t queue = dispatch_queue_create("deadlines", NULL);
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) sources[i] = arm(queue);
    dispatch_sync_f(queue, NULL, nothing);

    const int pairs = rearm ? PAIRS : SLOW_PAIRS;
    const uint64_t started = now_ns();
    for (int i = 0; i < pairs; i++) {
        dispatch_source_t *source = &sources[ARMED + i % IN_FLIGHT];
        if (rearm) {
            set(*source);
        } else {
            cancel(*source);
            *source = arm(queue);
        }
    }
    while (!rearm && atomic_load_explicit(&gone, memory_order_acquire) < pairs) sched_yield();
    const uint64_t ended = now_ns();

    for (int i = 0; i < ARMED + IN_FLIGHT; i++)
        if (dispatch_source_testcancel(sources[i]) != 0) fail("libdispatch: %d is not armed", i);
    if (fired != 0) fail("libdispatch: %d sources fired", fired);
    print_ns_per_pair(started, ended, pairs);
    return 0;
}
