/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes the byte after a block of memory
 * status: fail
 */
#include <stdlib.h>

/* Of another size than the allocator's own, so that nothing else is there. */
#define TWIN_IN_RUN                       \
    char *volatile twin_text = malloc(20); \
    if (twin_text != NULL) twin_text[20] = 0; \
    free(twin_text);
#include "twin.h"
