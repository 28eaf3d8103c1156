/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h: a bounded ring with a sequence number per cell, which many producers could share, one
 * worker, and per task a clock read, the store of a deadline, an exchange that publishes the task
 * to whoever watches deadlines, the call of the handler, and one compare-and-exchange that ends the
 * task exactly once.
 */
#ifndef CURFEW_BENCH_RING_H
#define CURFEW_BENCH_RING_H

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

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
    /* Of a program whose tasks raise an event when they end. */
    _Atomic(struct slot *) next;
    uint64_t place;
    uint32_t event;
    bool success;
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

static inline void make_ring(void) {
    alarm(60); /* rather than hang */
    for (uint64_t i = 0; i < IN_FLIGHT; i++) {
        ring[i].sequence = i;
        slots[i].live = i + 1;
    }
}

/* Returns false when the ring is full. */
static inline bool launch(handler_function handler, void *handler_data, uint64_t budget_ns) {
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

/* Launches TASKS tasks and waits until they are all over. Returns how often the ring was full. */
static inline uint64_t launch_all(handler_function handler) {
    uint64_t full = 0;
    for (int i = 0; i < TASKS; i++)
        while (!launch(handler, NULL, 30000000000)) {
            full++;
            sched_yield();
        }
    while (!atomic_load_explicit(&shared.all_over, memory_order_acquire)) sched_yield();
    return full;
}

/* One step of looking for something to do. */
static inline void look_again(int *waited) {
    spin_once();
    if (++*waited % 128 == 0) sched_yield();
}

/* The worker's next place, or UINT64_MAX while there is no task in it. */
static inline uint64_t next_place(void) {
    const struct cell *cell = &ring[shared.head % IN_FLIGHT];
    const bool is_filled =
        atomic_load_explicit(&cell->sequence, memory_order_acquire) == shared.head + 1;
    return is_filled ? shared.head++ : UINT64_MAX;
}

/* Runs the task in a place. Returns true when it has succeeded, which is decided once. */
static inline bool run(uint64_t place) {
    const struct cell *cell = &ring[place % IN_FLIGHT];
    struct slot *slot = &slots[place % IN_FLIGHT];
    const uint64_t task = place + 1;
    atomic_store_explicit(&slot->deadline_ns, now_ns() + cell->budget_ns, memory_order_relaxed);
    atomic_exchange_explicit(&shared.running, task, memory_order_seq_cst);
    const int32_t status = cell->handler(cell->handler_data, task);
    uint64_t live = task;
    /* The next lap's task is live at once, so that launching does not touch the slot. */
    const bool success =
        atomic_compare_exchange_strong_explicit(&slot->live, &live, task + IN_FLIGHT,
                                                memory_order_acq_rel, memory_order_relaxed) &&
        status == 0;
    if (success) shared.succeeded++;
    atomic_store_explicit(&shared.running, 0, memory_order_release);
    return success;
}

/* Gives a place to the next lap. */
static inline void empty_place(uint64_t place) {
    atomic_store_explicit(&ring[place % IN_FLIGHT].sequence, place + IN_FLIGHT,
                          memory_order_release);
}

#endif /* CURFEW_BENCH_RING_H */
