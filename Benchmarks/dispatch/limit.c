/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that dispatching a task with a deadline can cost: a bounded ring with a sequence number
 * per cell, which many producers could share, one worker, and per task a clock read, the store of a
 * deadline, an exchange that publishes the task to whoever watches deadlines, the call of the
 * handler, and one compare-and-exchange that ends the task exactly once.
 *
 * Nobody watches, nobody sleeps, nothing can be cancelled, there is no look-up, no payload and no
 * event: what a scheduler costs beyond this row is what it does beyond it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "../measure.h"

typedef int32_t (*handler_function)(void *handler_data, uint64_t task);

/* A place in the ring, on a cache line of its own. */
struct cell {
    _Alignas(64) _Atomic uint64_t sequence;
    handler_function handler;
    void *handler_data;
    uint64_t budget_ns;
};

/* The task in the place of the same index, on another line: a launcher that finds the ring full
 * looks at a cell again and again, and must not disturb the worker that ends the task. */
struct slot {
    _Alignas(64) _Atomic uint64_t live; /* the id of the task that may end here, once */
    _Atomic uint64_t deadline_ns;
};

static struct cell ring[IN_FLIGHT];
static struct slot slots[IN_FLIGHT];
static struct {
    _Alignas(64) _Atomic uint64_t tail;    /* the producers' */
    _Alignas(64) uint64_t head;            /* the worker's alone */
    _Alignas(64) _Atomic uint64_t running; /* the worker's deadline cell: the task it runs */
    _Alignas(64) _Atomic bool all_over;
    uint64_t succeeded;
} shared;

static int32_t empty(void *handler_data, uint64_t task) {
    (void)handler_data, (void)task;
    return 0;
}

/* Returns false when the ring is full. */
static bool launch(handler_function handler, void *handler_data, uint64_t budget_ns) {
    uint64_t tail = atomic_load_explicit(&shared.tail, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &ring[tail % IN_FLIGHT];
        const uint64_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        if (sequence == tail) {
            if (!atomic_compare_exchange_weak_explicit(&shared.tail, &tail, tail + 1,
                                                       memory_order_relaxed, memory_order_relaxed))
                continue;
            cell->handler = handler;
            cell->handler_data = handler_data;
            cell->budget_ns = budget_ns;
            atomic_store_explicit(&cell->sequence, tail + 1, memory_order_release);
            return true;
        }
        if (sequence < tail) return false;
        tail = atomic_load_explicit(&shared.tail, memory_order_relaxed);
    }
}

static void run(const struct cell *cell, struct slot *slot, uint64_t task) {
    atomic_store_explicit(&slot->deadline_ns, now_ns() + cell->budget_ns, memory_order_relaxed);
    atomic_exchange_explicit(&shared.running, task, memory_order_seq_cst);
    const int32_t status = cell->handler(cell->handler_data, task);
    uint64_t live = task;
    /* The next lap's task is live at once, so that launching does not touch the slot. */
    if (atomic_compare_exchange_strong_explicit(&slot->live, &live, task + IN_FLIGHT,
                                                memory_order_acq_rel, memory_order_relaxed) &&
        status == 0)
        shared.succeeded++;
    atomic_store_explicit(&shared.running, 0, memory_order_release);
}

static void *work(void *unused) {
    for (int waited = 0; shared.head < TASKS;) {
        struct cell *cell = &ring[shared.head % IN_FLIGHT];
        if (atomic_load_explicit(&cell->sequence, memory_order_acquire) != shared.head + 1) {
            spin_once();
            if (++waited % 128 == 0) sched_yield();
            continue;
        }
        run(cell, &slots[shared.head % IN_FLIGHT], shared.head + 1);
        atomic_store_explicit(&cell->sequence, shared.head + IN_FLIGHT, memory_order_release);
        shared.head++;
    }
    atomic_store_explicit(&shared.all_over, true, memory_order_release);
    return unused;
}

int main(void) {
    for (uint64_t i = 0; i < IN_FLIGHT; i++) {
        ring[i].sequence = i;
        slots[i].live = i + 1;
    }
    pthread_t worker;
    const int fault = pthread_create(&worker, NULL, work, NULL);
    if (fault != 0) fail("dispatch/limit: no thread: %s", strerror(fault));

    uint64_t full = 0;
    const uint64_t started = now_ns();
    for (int i = 0; i < TASKS; i++)
        while (!launch(empty, NULL, 30000000000)) {
            full++;
            sched_yield();
        }
    while (!atomic_load_explicit(&shared.all_over, memory_order_acquire)) sched_yield();
    const uint64_t ended = now_ns();

    pthread_join(worker, NULL);
    if (shared.succeeded != TASKS)
        fail("dispatch/limit: %" PRIu64 " of %d tasks succeeded", shared.succeeded, TASKS);
    print_ns_per_task(started, ended);
    printf("full %" PRIu64 "\n", full);
    return 0;
}
