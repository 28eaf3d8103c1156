/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that dispatching a task with a deadline can cost: the ring of ring.h and one worker,
 * with a clock read, a stored deadline and two atomic exchanges for each task.
 *
 * Nobody watches, nobody sleeps, nothing can be cancelled, there is no look-up, no payload and no
 * event: what a scheduler costs beyond this row is what it does beyond it.
 */
#include <pthread.h>
#include <string.h>

#include "ring.h"

static int32_t empty(void *handler_data, uint64_t task) {
    (void)handler_data, (void)task;
    return 0;
}

static void *work(void *unused) {
    int waited = 0;
    while (shared.head < TASKS) {
        const uint64_t place = next_place();
        if (place == UINT64_MAX) {
            look_again(&waited);
            continue;
        }
        run(place);
        empty_place(place);
    }
    atomic_store_explicit(&shared.all_over, true, memory_order_release);
    return unused;
}

int main(void) {
    make_ring();
    pthread_t worker;
    const int fault = pthread_create(&worker, NULL, work, NULL);
    if (fault != 0) fail("dispatch/limit: no thread: %s", strerror(fault));

    const uint64_t started = now_ns();
    const uint64_t full = launch_all(empty);
    const uint64_t ended = now_ns();

    pthread_join(worker, NULL);
    if (shared.succeeded != TASKS)
        fail("dispatch/limit: %" PRIu64 " of %d tasks succeeded", shared.succeeded, TASKS);
    print_ns_per_task(started, ended);
    printf("full %" PRIu64 "\n", full);
    return 0;
}
