/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a round trip through another thread can cost: a ring of one, into which the
 * launcher writes the task and from which it reads that the task is over.
 *
 *     round-trip/limit busy | rested
 *
 * Both sides look for a while, and give way to others at short intervals, before they sleep on a
 * futex; a sleeper is woken only if it has said that it sleeps. On two cores that other programs
 * used as well, 64 to 1,000 looks and a yield at every 2nd to 8th were alike, 0.1 to 0.9 us with a
 * core each and 2.1 to 2.7 on the same one; without looking it was 3 to 13, with a yield at every
 * 128th 10, and without yielding 60 and more whenever both shared a core.
 *
 * There is no deadline, no queue, no second worker and no outcome but that the function was called.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "round-trips.h"

enum { LOOKS = 200, YIELD_EVERY = 8 };

typedef void (*handler_function)(void *handler_data);

/* A counter that one thread raises and another waits for. */
struct counter {
    _Atomic uint32_t value;
    _Atomic bool sleeps; /* a thread waits in the kernel, or is about to */
};

static struct {
    _Alignas(64) struct counter launched;
    handler_function handler; /* on the line the worker has to read anyway */
    void *handler_data;
    _Alignas(64) struct counter over;
} ring;

static void raise_counter(struct counter *counter) {
    /* A full barrier, as is the store of `sleeps`: one of the two threads sees the other. */
    atomic_fetch_add_explicit(&counter->value, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&counter->sleeps, memory_order_seq_cst)) return;
    syscall(SYS_futex, &counter->value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void sleep_while(struct counter *counter, uint32_t value) {
    atomic_store_explicit(&counter->sleeps, true, memory_order_seq_cst);
    while (atomic_load_explicit(&counter->value, memory_order_seq_cst) == value)
        syscall(SYS_futex, &counter->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    atomic_store_explicit(&counter->sleeps, false, memory_order_relaxed);
}

/* Waits until the counter is no longer at `value`. */
static void wait_while(struct counter *counter, uint32_t value) {
    for (int i = 1; i <= LOOKS; i++) {
        if (atomic_load_explicit(&counter->value, memory_order_acquire) != value) return;
        if (i % YIELD_EVERY == 0)
            sched_yield();
        else
            spin_once();
    }
    sleep_while(counter, value);
}

static void *work(void *trips) {
    const uint32_t count = (uint32_t)((const struct round_trips *)trips)->count;
    for (uint32_t i = 0; i < count; i++) {
        wait_while(&ring.launched, i);
        ring.handler(ring.handler_data);
        raise_counter(&ring.over);
    }
    return NULL;
}

static void launch(handler_function handler, void *handler_data) {
    ring.handler = handler;
    ring.handler_data = handler_data;
    raise_counter(&ring.launched);
}

static void empty(void *calls) { ++*(int *)calls; }

int main(int count, char **arguments) {
    struct round_trips *trips =
        make_round_trips(count == 2 ? arguments[1] : "", "round-trip/limit busy | rested");
    pthread_t worker;
    const int fault = pthread_create(&worker, NULL, work, trips);
    if (fault != 0) fail("round-trip/limit: no thread: %s", strerror(fault));

    int calls = 0;
    for (int i = 0; i < trips->count; i++) {
        rest(trips);
        const uint64_t started = now_ns();
        launch(empty, &calls);
        wait_while(&ring.over, (uint32_t)i);
        trips->spans_ns[i] = now_ns() - started;
        if (calls != i + 1) fail("round-trip/limit: %d calls after %d tasks", calls, i + 1);
    }
    pthread_join(worker, NULL);
    print_round_trips(trips);
    return 0;
}
