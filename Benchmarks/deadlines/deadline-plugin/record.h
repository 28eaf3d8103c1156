/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: what the tasks of these handlers note down for ../curfew.c. */
#ifndef CURFEW_BENCH_RECORD_H
#define CURFEW_BENCH_RECORD_H

#include <semaphore.h>
#include <stdint.h>

/*
 * The payload of the first task of all is the address of one of these, which belongs to the
 * launcher: plugin and launcher share a process here. No plugin that does real work should pass
 * addresses this way.
 */
struct deadline_record {
    sem_t over;         /* posted once for each batch, and for the tasks that begin and end all */
    uint64_t batch;     /* how many tasks make one; the rest is written before `over` is posted */
    uint64_t first_ns;  /* clock of the first line of a batch's first task */
    uint64_t last_ns;   /* and of the last line but one of its last task */
    uint64_t refused;   /* completions that were not accepted */
    uint64_t completed; /* completions of tasks that were pending */
};

#endif /* CURFEW_BENCH_RECORD_H */
