/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round trip through libdispatch, as the Swift toolchain ships it: dispatch_async_f to a serial
 * queue, and a dispatch_semaphore that the task signals. No deadline.
 *
 *     round-trip/libdispatch busy | rested
 */
#include <dispatch/dispatch.h>

#include "round-trips.h"

struct launcher {
    dispatch_semaphore_t over;
    int calls;
};

static void empty(void *context) {
    struct launcher *launcher = context;
    launcher->calls++;
    dispatch_semaphore_signal(launcher->over);
}

int main(int count, char **arguments) {
    struct round_trips *trips =
        make_round_trips(count == 2 ? arguments[1] : "", "round-trip/libdispatch busy | rested");
    dispatch_queue_t queue = dispatch_queue_create("empty", NULL);
    struct launcher launcher = {.over = dispatch_semaphore_create(0)};

    for (int i = 0; i < trips->count; i++) {
        rest(trips);
        const uint64_t started = now_ns();
        dispatch_async_f(queue, &launcher, empty);
        dispatch_semaphore_wait(launcher.over, DISPATCH_TIME_FOREVER);
        trips->spans_ns[i] = now_ns() - started;
        if (launcher.calls != i + 1)
            fail("round-trip/libdispatch: %d calls after %d tasks", launcher.calls, i + 1);
    }
    print_round_trips(trips);
    return 0;
}
