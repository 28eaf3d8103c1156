/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one library has freed, kept for a while to see whether it is still used. */
#ifndef CSYSTEM_FREED_MEMORY_H
#define CSYSTEM_FREED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From now on, what a library frees by free, realloc, reallocarray or operator delete is filled with `filler` and kept:
 * nobody gets it again, until it is the oldest of 32,768 blocks or of 64 MiB. realloc always moves. Only for a process with
 * the checks of the C library's allocator (csys_malloc_checks), by which it knows what a block is; what is no sound
 * block goes to that allocator, which ends the process. `name`: the loader's name for the library. Returns false where
 * it frees nothing, or its calls cannot be reached. Once a process. Children that the process forks free at once.
 */
bool csys_keep_freed(const char *name, uint8_t filler);

/* The first wrong use of what was freed. */
struct csys_freed_use {
    /* It was freed again, or passed to realloc; else it was written to, at byte `offset`. */
    bool is_freed_again;
    /* Of the block. */
    size_t bytes, offset;
    /* The place in the library's file that comes after the call that freed it; 0 if another library called. */
    uintptr_t freed_at;
};

/* Looks at all that is kept. Returns false if none was used. */
bool csys_find_freed_use(struct csys_freed_use *use);

#endif /* CSYSTEM_FREED_MEMORY_H */
