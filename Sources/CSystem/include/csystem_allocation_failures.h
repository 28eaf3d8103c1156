/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out for one library, and for no other code of the process. */
#ifndef CSYSTEM_ALLOCATION_FAILURES_H
#define CSYSTEM_ALLOCATION_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on the calls of a library to malloc, calloc, realloc, reallocarray, strdup, strndup,
 * posix_memalign, aligned_alloc and operator new can fail; those of the libraries that it uses cannot.
 * `code`: an address in it. Returns false where it makes no such calls, or they cannot be reached.
 */
bool csys_can_fail_allocations(const void *code);

/* After `passed` more such calls one fails, and then each `period`th; 0: no more. Sets the count of
 * failures back. `passed` UINT64_MAX: none fails. */
void csys_fail_allocations(uint64_t passed, uint64_t period);

/* How many have failed since. */
uint64_t csys_failed_allocations(void);

#endif /* CSYSTEM_ALLOCATION_FAILURES_H */
