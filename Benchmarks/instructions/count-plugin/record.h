/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: what the tasks of these handlers and ../driver.c tell each other. */
#ifndef CURFEW_BENCH_COUNT_RECORD_H
#define CURFEW_BENCH_COUNT_RECORD_H

#include <semaphore.h>
#include <stdint.h>

/*
 * The payload of the first task of all is the address of one of these, which belongs to the driver:
 * plugin and driver share a process here. No plugin that does real work should pass addresses this
 * way.
 */
struct count_record {
    sem_t over;      /* posted for the first task, and when a batch is over */
    uint64_t batch;  /* how many tasks make one */
    uint64_t counts; /* 1: what the next batch does is counted */
    uint64_t failed; /* calls of the host's that did not answer CURFEW_OK */
};

#endif /* CURFEW_BENCH_COUNT_RECORD_H */
