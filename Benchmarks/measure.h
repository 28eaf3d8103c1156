/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: what every program here shares: the clock, and how numbers are printed.
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
    TASKS = 1000000, /* of a dispatch run */
    IN_FLIGHT = 4096 /* bound for queues without one of their own; Curfew's default queue limit */
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

#endif /* CURFEW_BENCH_MEASURE_H */
