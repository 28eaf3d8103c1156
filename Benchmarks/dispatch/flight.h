/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight.h: a bound for peers whose queues have none: the launcher holds itself to IN_FLIGHT tasks
 * not yet over, as Curfew's queue holds its launcher.
 */
#ifndef CURFEW_BENCH_FLIGHT_H
#define CURFEW_BENCH_FLIGHT_H

#include <sched.h>
#include <stdatomic.h>

#include "../measure.h"

static struct {
    _Alignas(64) _Atomic uint64_t over; /* the workers' */
    _Alignas(64) uint64_t seen;         /* the launcher's: `over` as it was a while ago */
    uint64_t full;                      /* how often there was no room */
} flight;

/* Counts a task as over; any thread. */
static inline void land(void) {
    atomic_fetch_add_explicit(&flight.over, 1, memory_order_release);
}

/* Waits until there is room for one more than the `launched` ones. */
static inline void wait_for_room(uint64_t launched) {
    while (launched - flight.seen >= IN_FLIGHT) {
        flight.seen = atomic_load_explicit(&flight.over, memory_order_acquire);
        if (launched - flight.seen < IN_FLIGHT) return;
        flight.full++;
        sched_yield();
    }
}

static inline void wait_until_landed(uint64_t launched) {
    while (atomic_load_explicit(&flight.over, memory_order_acquire) < launched) sched_yield();
}

#endif /* CURFEW_BENCH_FLIGHT_H */
