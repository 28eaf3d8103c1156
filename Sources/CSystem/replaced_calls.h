/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of loaded libraries to functions of others, which go through slots that can be written. */
#ifndef CSYSTEM_REPLACED_CALLS_H
#define CSYSTEM_REPLACED_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct replacement {
    const char *name;
    void (*function)(void);
    /* Gets what was in the slot, if there is one; may be NULL. */
    void (**before)(void);
};

/* Which libraries: that with an address in it, that of the loader's name, or with neither all of them. */
struct replaced_in {
    const void *address;
    const char *name;
};

/* Puts functions into the slots of their names, and returns the number of slots. A library's own functions of
 * such names are none of the process', and stay. */
uint32_t replace_calls(struct replaced_in where, const struct replacement *list, size_t count);

#endif /* CSYSTEM_REPLACED_CALLS_H */
