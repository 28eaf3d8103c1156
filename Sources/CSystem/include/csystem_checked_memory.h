/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of libraries, whose use is checked. */
#ifndef CSYSTEM_CHECKED_MEMORY_H
#define CSYSTEM_CHECKED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In the process that calls csys_check_memory, calls of libraries to the C library's functions for memory go to other
 * functions. These put a tail behind each block. They keep a block that is freed, until it is the oldest of 65,536 blocks
 * or of 64 MiB. Each block is one of the C library's allocator, and may be freed by the C library as well. Other blocks
 * are passed to that allocator. Children that the process forks use the allocator directly.
 *
 * The libraries are those that were not loaded when csys_set_memory_aside was called, and the C++ library, by which
 * operator new and delete are covered. Calls of the C library itself are not.
 */
void csys_set_memory_aside(void);
/* `filler` is what freed memory is filled with. Again for what was loaded since. Returns false where no library calls. */
bool csys_check_memory(uint8_t filler);

typedef enum {
    csys_memory_ends,    /* written to behind its end, before it was freed */
    csys_memory_is_freed, /* written to after it was freed */
    csys_memory_freed_again,
} csys_memory_fault_kind;

enum { csys_memory_place_bytes = 200 };

/* The first wrong use. */
struct csys_memory_fault {
    csys_memory_fault_kind kind;
    /* Of the block, and of what was written to in it: the first byte that differs. */
    size_t bytes, offset;
    /* The calls that allocated it, freed it, and freed it again: "libx.so 0x12ab", an instruction in that file. Empty for
     * one that has not come, or is not known. */
    char allocated[csys_memory_place_bytes], freed[csys_memory_place_bytes], again[csys_memory_place_bytes];
};

/* Looks at all blocks. Returns false if none was used wrongly. */
bool csys_find_memory_fault(struct csys_memory_fault *fault);

#endif /* CSYSTEM_CHECKED_MEMORY_H */
