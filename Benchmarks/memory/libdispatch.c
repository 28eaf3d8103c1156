/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a libdispatch timer source takes of memory: COUNT of them on a serial queue, due in an hour.
 *
 *     libdispatch COUNT
 */
#include <dispatch/dispatch.h>

#include "rollup.h"

static void due(void *data) {
    (void)data;
    fail("a timer was due");
}

static void arm(dispatch_queue_t queue) {
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    if (timer == NULL) fail("no timer");
    dispatch_source_set_event_handler_f(timer, due);
    dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, 3600 * (int64_t)NSEC_PER_SEC),
                              DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer);
}

static void nothing(void *data) { (void)data; }

int main(int argc, char **argv) {
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1) fail("usage: libdispatch COUNT");
    dispatch_queue_t queue = dispatch_queue_create("org.example.timers", DISPATCH_QUEUE_SERIAL);
    arm(queue);
    dispatch_sync_f(queue, NULL, nothing);
    const struct rollup before = read_rollup();
    for (int i = 0; i < count; i++) arm(queue);
    /* Arming goes through the queue: what stands behind it there is done once all are armed. */
    dispatch_sync_f(queue, NULL, nothing);
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    const struct rollup after = read_rollup();
    print_bytes_each(&before, &after, count);
    return 0;
}
