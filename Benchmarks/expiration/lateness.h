/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lateness.h: the spans that every program of this path waits for, and how lateness is printed.
 *
 * `running`: RUNNING spans of 0.2…2 ms while two threads burn CPU. `pending`: PENDING deadlines
 * that lie evenly over 2 s, on a machine that has nothing else to do; all of them are armed before
 * the first is due, in an order that is not theirs.
 */
#ifndef CURFEW_BENCH_LATENESS_H
#define CURFEW_BENCH_LATENESS_H

#include <string.h>

#include "../measure.h"

enum { RUNNING = 2000, PENDING = 10000, SPANS_MAX = PENDING };

/* The first of the pending deadlines, and the distance between two. */
#define PENDING_FIRST_NS UINT64_C(500000000)
#define PENDING_STEP_NS (UINT64_C(2000000000) / PENDING)

/* 0.2…2 ms, evenly spread, the same ones in every program (splitmix64). */
static inline void make_running_spans(uint64_t spans[RUNNING]) {
    uint64_t state = 20260101;
    for (int i = 0; i < RUNNING; i++) {
        uint64_t z = (state += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        spans[i] = 200000 + (z ^ (z >> 31)) % 1800001;
    }
}

/* Every step of the two seconds once; the factor has no divisor in common with PENDING. */
static inline void make_pending_spans(uint64_t spans[PENDING]) {
    for (uint64_t i = 0; i < PENDING; i++)
        spans[i] = PENDING_FIRST_NS + i * 7919 % PENDING * PENDING_STEP_NS;
}

/* Tells `running` from `pending`, fills `spans` and returns how many there are. */
static inline int make_spans(const char *variant, uint64_t spans[SPANS_MAX]) {
    if (strcmp(variant, "running") == 0) {
        make_running_spans(spans);
        return RUNNING;
    }
    if (strcmp(variant, "pending") != 0) fail("the variant is running or pending, not %s", variant);
    make_pending_spans(spans);
    return PENDING;
}

static inline int compare_lateness(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Prints percentiles of `lateness`, which it sorts, and how many were early. */
static inline void print_lateness(int64_t *lateness, int count) {
    qsort(lateness, (size_t)count, sizeof lateness[0], compare_lateness);
    int early = 0;
    while (early < count && lateness[early] < 0) early++;
    printf("p50_us %.1f\n", (double)lateness[count / 2] / 1000);
    printf("p99_us %.1f\n", (double)lateness[count * 99 / 100] / 1000);
    printf("max_us %.1f\n", (double)lateness[count - 1] / 1000);
    printf("early %d\n", early);
}

#endif /* CURFEW_BENCH_LATENESS_H */
