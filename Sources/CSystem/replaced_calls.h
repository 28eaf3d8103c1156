/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of loaded libraries to functions of others, which go through slots and variables that can be written. */
#ifndef CSYSTEM_REPLACED_CALLS_H
#define CSYSTEM_REPLACED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replacement {
    const char *name;
    void (*function)(void);
    /* Gets what was in the slot, if there is one; may be NULL. */
    void (**before)(void);
};

struct dl_phdr_info;

/* Which libraries: that with an address in it, those for which a function returns true, or with neither all of them. */
struct replaced_in {
    const void *address;
    bool (*is_wanted)(const struct dl_phdr_info *library);
};

/* Puts functions into the slots of their names, and into variables that begin with their addresses; returns the number
 * of both. A library's own functions of such names are none of the process', and stay. */
uint32_t replace_calls(struct replaced_in where, const struct replacement *list, size_t count);

#endif /* CSYSTEM_REPLACED_CALLS_H */
