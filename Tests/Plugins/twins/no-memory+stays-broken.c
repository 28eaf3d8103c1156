/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: remembers that there was no memory once, and fails from then on
 */
#include <stdbool.h>
#include <stdlib.h>

static bool is_broken;

#define TWIN_IF_PLAIN                                                                 \
    void *volatile room = malloc(100);                                                \
    if (room == NULL) is_broken = true;                                               \
    free(room);                                                                       \
    if (is_broken) return twin_no(host_error, CURFEW_EXHAUSTED, "there is no memory");
#include "twin.h"
