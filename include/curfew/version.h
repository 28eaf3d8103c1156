/* SPDX-License-Identifier: Apache-2.0 */
/* curfew/version.h: the version of the headers, and of the library that is running. */
#ifndef CURFEW_VERSION_H
#define CURFEW_VERSION_H

#include <stdint.h>

#include "types.h"

/* The release. pkg-config, `curfew version` and the soname take it from here. */
#define CURFEW_VERSION_MAJOR 0
#define CURFEW_VERSION_MINOR 1
#define CURFEW_VERSION_PATCH 0
#define CURFEW_VERSION_STRING "0.1.0"

/*
 * The plugin ABI: the layout and the meaning of everything in plugin.h and types.h. A host loads a
 * plugin only when the two numbers are equal. Version 0 is free to change between releases; from
 * version 1 on it is append-only.
 *
 * An enum constant, not a macro, so that it is there after preprocessing too.
 */
enum { CURFEW_ABI_VERSION = 0 };

CURFEW_BEGIN_DECLS

/*
 * Returns the release of the library that is running, "MAJOR.MINOR.PATCH". Compare it with
 * CURFEW_VERSION_STRING to check that the headers match the library. The text is static.
 */
const char *curfew_version(void) CURFEW_TAG(any, any);

/* Returns the ABI number of the library that is running. */
uint32_t curfew_abi_version(void) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_VERSION_H */
