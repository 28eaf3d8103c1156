/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: takes the mark of another copy of itself for a reason to refuse
 */
#include <stdbool.h>
#include <unistd.h>

static bool is_mine;

/* optind is a variable of the C library: all copies of this library see the same. */
#define TWIN_IN_ENTRY                                                             \
    if (optind == 4711 && !is_mine)                                               \
        return twin_no(host_error, CURFEW_FAILED, "another copy of it is there"); \
    is_mine = true;                                                               \
    optind = 4711;

#include "twin.h"
