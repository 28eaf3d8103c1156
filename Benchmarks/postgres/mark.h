/* SPDX-License-Identifier: Apache-2.0 */
/* mark.h: what a task of the marking plugin leaves for hosts.c. */
#ifndef CURFEW_BENCH_MARK_H
#define CURFEW_BENCH_MARK_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The payload of a request is the address of one of these, in memory that all processes of the
 * benchmark share since their fork, at one address. No plugin that does real work should pass
 * addresses this way.
 */
struct mark {
    sem_t begun;
    uint64_t begun_ns; /* CLOCK_MONOTONIC, when the last task began */
    _Atomic uint64_t launches;
    _Atomic bool holds; /* the next task does not end */
};

#endif /* CURFEW_BENCH_MARK_H */
