/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reads the payload of a task that is over
 * status: crash
 *
 * It shows in the second task that succeeds.
 */
static const volatile char *last;

#define TWIN_IF_PLAIN              \
    if (last != NULL) (void)*last; \
    last = info.payload;
#include "twin.h"
