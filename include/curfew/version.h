/* SPDX-License-Identifier: Apache-2.0 */
/* curfew/version.h: which Curfew this header belongs to, and which one is running. */
#ifndef CURFEW_VERSION_H
#define CURFEW_VERSION_H

#include <stdint.h>

#include "types.h"

/* The release. Everything else (pkg-config, `curfew version`, the soname) reads it from here. */
#define CURFEW_VERSION_MAJOR 0
#define CURFEW_VERSION_MINOR 1
#define CURFEW_VERSION_PATCH 0
#define CURFEW_VERSION_STRING "0.1.0"

/*
 * The plugin ABI: the layout and the meaning of everything in plugin.h and types.h. A host loads a
 * plugin only when the two numbers are equal. Version 0 is free to change between releases; from
 * version 1 on it is append-only.
 *
 * It is an enum constant, not only a macro, so that readers that see preprocessed text have it too.
 */
enum { CURFEW_ABI_VERSION = 0 };

CURFEW_BEGIN_DECLS

/*
 * Returns the release of the library that is running, "MAJOR.MINOR.PATCH". Compare it with
 * CURFEW_VERSION_STRING to see whether the header and the library agree. The text is static.
 */
const char *curfew_version(void) CURFEW_TAG(any, any);

/* Returns the ABI number of the library that is running. */
uint32_t curfew_abi_version(void) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_VERSION_H */
