/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a process and of a thread, to be compared at two moments. */
#ifndef CSYSTEM_TRAITS_H
#define CSYSTEM_TRAITS_H

#include <stdint.h>

typedef struct csys_trait {
    const char *name; /* follows "changed": "its session" */
    uint64_t value;
} csys_trait;

enum { csys_most_traits = 40 };

/* Those of the process. Returns their number, which is always the same; one that this kernel does not
 * tell is 0. */
uint32_t csys_process_traits(csys_trait traits[csys_most_traits]);
/* Those of the calling thread. */
uint32_t csys_thread_traits(csys_trait traits[csys_most_traits]);

#endif /* CSYSTEM_TRAITS_H */
