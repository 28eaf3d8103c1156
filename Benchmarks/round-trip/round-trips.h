/* SPDX-License-Identifier: Apache-2.0 */
/*
 * round-trips.h: the two variants of every program here, and what is printed of them.
 *
 * busy: 10,000 tasks launched and waited for one after the other, without a pause. rested: 1,000,
 * each after the launcher has slept for about 1 ms, so that the workers sleep too and have to be
 * woken.
 */
#ifndef CURFEW_BENCH_ROUND_TRIPS_H
#define CURFEW_BENCH_ROUND_TRIPS_H

#include <string.h>
#include <unistd.h>

#include "../measure.h"

enum { BUSY_TRIPS = 10000, RESTED_TRIPS = 1000 };

struct round_trips {
    int count;
    bool rested;
    uint64_t spans_ns[BUSY_TRIPS];
};

static inline struct round_trips *make_round_trips(const char *variant, const char *usage) {
    static struct round_trips trips;
    alarm(60); /* rather than hang */
    trips.rested = strcmp(variant, "rested") == 0;
    if (!trips.rested && strcmp(variant, "busy") != 0) fail("usage: %s", usage);
    trips.count = trips.rested ? RESTED_TRIPS : BUSY_TRIPS;
    return &trips;
}

/* What the launcher does before each round trip. */
static inline void rest(const struct round_trips *trips) {
    if (trips->rested) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static inline int compare_spans(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Prints percentiles of the spans, which it sorts. */
static inline void print_round_trips(struct round_trips *trips) {
    qsort(trips->spans_ns, (size_t)trips->count, sizeof trips->spans_ns[0], compare_spans);
    printf("p50_us %.2f\n", (double)trips->spans_ns[trips->count / 2] / 1000);
    printf("p99_us %.2f\n", (double)trips->spans_ns[trips->count * 99 / 100] / 1000);
}

#endif /* CURFEW_BENCH_ROUND_TRIPS_H */
