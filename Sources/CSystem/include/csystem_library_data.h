/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_library_data.h: where the variables of a loaded library are, and who is in its code.
 */
#ifndef CSYSTEM_LIBRARY_DATA_H
#define CSYSTEM_LIBRARY_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* Calls `each` with the place of each part of a library that its code can write, and with the place of the
 * library, from which the addresses in its file count. `name` is the loader's name for it; the first one loaded
 * with that name is taken, and where there is none, nothing is called. */
void csys_each_writable_part(const char *name, void *context,
                             void (*each)(void *context, uint64_t start, uint64_t bytes, uint64_t base));

/* Whether the stack of another thread of this process has an address of a library's code: the thread is in that
 * code, or will return to it. A thread that the C library starts for its timers has none. Returns true where the
 * stack cannot be read, such as of a thread that is running now. */
bool csys_thread_is_in_library(int32_t thread, const char *name);

#endif /* CSYSTEM_LIBRARY_DATA_H */
