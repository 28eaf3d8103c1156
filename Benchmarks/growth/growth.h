/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth.h: what the programs about growth share. Each measures one size, names it as its
 * argument, and prints what one operation costs at that size.
 */
#ifndef CURFEW_BENCH_GROWTH_H
#define CURFEW_BENCH_GROWTH_H

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "../libcurfew.h"

/* The size in an argument, at most `limit`. */
static inline uint64_t size_of_argument(const char *argument, uint64_t limit) {
    char *end = NULL;
    errno = 0;
    const unsigned long long size = strtoull(argument, &end, 10);
    if (errno != 0 || end == argument || *end != '\0' || size > limit)
        fail("%s is not a size up to %" PRIu64, argument, limit);
    return size;
}

/* Memory of this process that is in use now. */
static inline uint64_t resident_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*u %llu", &pages) != 1) fail("/proc/self/statm not read");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static inline int compare_ns(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The median of `times`, which it sorts. */
static inline double median_ns(uint64_t *times, uint64_t count) {
    qsort(times, count, sizeof times[0], compare_ns);
    return (double)times[count / 2];
}

/* The same sequence in every run (splitmix64). */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static inline void expect_ok(const struct libcurfew *curfew, curfew_status status,
                             const char *what, const curfew_error *error) {
    if (status != CURFEW_OK)
        fail("%s: %s: %s", what, curfew->status_text(status), error != NULL ? error->message : "");
}

/* Launches, and tries again for as long as a queue is full. */
static inline void launch_patiently(const struct libcurfew *curfew, uint32_t handler,
                                    const curfew_launch_options *options, curfew_task *task) {
    for (;;) {
        const curfew_status status =
            curfew->host_launch_by_index(curfew->host, handler, options, task, NULL);
        if (status == CURFEW_OK) return;
        if (status != CURFEW_BUSY && status != CURFEW_EXHAUSTED)
            fail("not launched: %s", curfew->status_text(status));
        sched_yield();
    }
}

static inline curfew_handler_state state_of_handler(const struct libcurfew *curfew,
                                                    uint32_t handler) {
    curfew_handler_state state = {.struct_size = sizeof state};
    expect_ok(curfew, curfew->host_get_handler(curfew->host, handler, &state, NULL), "handler",
              NULL);
    return state;
}

/* Waits until a handler has counted `count` successes; any other outcome is a failure. */
static inline void wait_for_successes(const struct libcurfew *curfew, uint32_t handler,
                                      uint64_t count) {
    for (;;) {
        const curfew_handler_state state = state_of_handler(curfew, handler);
        for (int outcome = CURFEW_OUTCOME_FAILED; outcome <= CURFEW_OUTCOME_ABANDONED; outcome++)
            if (state.ended[outcome] != 0)
                fail("%" PRIu64 " tasks ended with outcome %d", state.ended[outcome], outcome);
        if (state.ended[CURFEW_OUTCOME_SUCCEEDED] > count) fail("more tasks ended than launched");
        if (state.ended[CURFEW_OUTCOME_SUCCEEDED] == count) return;
        sched_yield();
    }
}

#endif /* CURFEW_BENCH_GROWTH_H */
