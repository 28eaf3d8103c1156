/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: looks at the identifier of its last task
 * status: crash
 */
static const char *volatile last;
static volatile char first;

#define TWIN_IF_PLAIN                    \
    if (last != NULL) first = *last;     \
    last = info.identifier;
#include "twin.h"
