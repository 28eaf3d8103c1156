/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: what a task of these handlers notes down for ../curfew.c. */
#ifndef CURFEW_BENCH_RECORD_H
#define CURFEW_BENCH_RECORD_H

#include <stdint.h>

/*
 * The payload of a task is the address of one of these, which belongs to the launcher: plugin and
 * launcher share a process here, and a store into shared memory is the least a callback can do
 * after it has read the clock. No plugin that does real work should pass addresses this way.
 */
struct expiring_record {
    _Alignas(64) _Atomic uint64_t entered_ns; /* clock of the handler's first line, or 0 */
    _Atomic uint64_t expired_ns;              /* clock of the callback's first line, or 0 */
    _Atomic uint32_t callbacks;               /* how often the callback was called */
};

#endif /* CURFEW_BENCH_RECORD_H */
