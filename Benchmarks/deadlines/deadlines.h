/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlines.h: what every program of this path does: ARMED deadlines are armed and stay so. Beside
 * them IN_FLIGHT more are armed, and then PAIRS or SLOW_PAIRS times the oldest of these is cancelled
 * and a new one armed, as it is with tasks of one budget that are completed some while after they
 * began.
 *
 * All are due 30 s after they were armed, so that none ever is. Where the clock is read is told by
 * each program: reading it costs about as much as everything else together.
 */
#ifndef CURFEW_BENCH_DEADLINES_H
#define CURFEW_BENCH_DEADLINES_H

#include "../measure.h"

enum {
    ARMED = 100000,
    PAIRS = 1000000,
    SLOW_PAIRS = 200000 /* where a pair takes about a microsecond or more */
};

#define BUDGET_NS UINT64_C(30000000000)

static inline void print_ns_per_pair(uint64_t started_ns, uint64_t ended_ns, int pairs) {
    printf("ns_per_pair %.2f\n", (double)(ended_ns - started_ns) / pairs);
}

#endif /* CURFEW_BENCH_DEADLINES_H */
