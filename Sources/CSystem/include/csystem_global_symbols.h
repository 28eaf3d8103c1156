/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_global_symbols.h: which libraries offer their symbols to every other one, and which symbols a library
 * would lack.
 */
#ifndef CSYSTEM_GLOBAL_SYMBOLS_H
#define CSYSTEM_GLOBAL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Calls `each` with the path of each library of this process whose symbols are looked for when another one is
 * loaded: those that were there when it was started, and those of dlopen(3) with RTLD_GLOBAL. */
void csys_each_global_library(void *context, void (*each)(void *context, const char *path));

/* Has the loader say of a library what it would miss, without running any of its code (LD_TRACE_LOADED_OBJECTS,
 * ld.so(8)). Returns the number of bytes of its text, which is cut at `room`; -1 where it cannot, as for a path
 * with a blank or a colon in it. */
ptrdiff_t csys_trace_loading(const char *library, char *text, size_t room, uint64_t limit_ns);

#endif /* CSYSTEM_GLOBAL_SYMBOLS_H */
