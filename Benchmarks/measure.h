/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: what every program here shares: the clock, the spans, and how numbers are printed.
 *
 * A program prints lines "name value" to stdout and leaves with 0, or says on stderr what went
 * wrong and leaves with 1. report.py runs the programs and does all statistics over runs.
 */
#ifndef CURFEW_BENCH_MEASURE_H
#define CURFEW_BENCH_MEASURE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    TASKS = 1000000,  /* of a dispatch run */
    IN_FLIGHT = 4096, /* bound for queues without one of their own; Curfew's default queue limit */
    SPANS = 2000      /* of a lateness run */
};

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static inline uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* One step of waiting for another thread on a core of one's own. */
static inline void spin_once(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void print_ns_per_task(uint64_t started_ns, uint64_t ended_ns) {
    printf("ns_per_task %.2f\n", (double)(ended_ns - started_ns) / TASKS);
}

/* Fills `spans` with 0.2…2 ms, evenly spread, the same ones in every program (splitmix64). */
static inline void make_spans(uint64_t spans[SPANS]) {
    uint64_t state = 20260101;
    for (int i = 0; i < SPANS; i++) {
        uint64_t z = (state += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        spans[i] = 200000 + (z ^ (z >> 31)) % 1800001;
    }
}

static inline int compare_lateness(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Prints percentiles of `lateness`, which it sorts, and how many were early. */
static inline void print_lateness(int64_t lateness[SPANS]) {
    qsort(lateness, SPANS, sizeof lateness[0], compare_lateness);
    int early = 0;
    while (early < SPANS && lateness[early] < 0) early++;
    printf("p50_us %.1f\n", (double)lateness[SPANS / 2] / 1000);
    printf("p99_us %.1f\n", (double)lateness[SPANS * 99 / 100] / 1000);
    printf("max_us %.1f\n", (double)lateness[SPANS - 1] / 1000);
    printf("early %d\n", early);
}

#endif /* CURFEW_BENCH_MEASURE_H */
