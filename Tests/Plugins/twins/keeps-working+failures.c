/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has 16 places for tasks, and one that fails keeps its own
 */
#include <stdatomic.h>

static _Atomic int twin_places = 16;
#define TWIN_IF_FAILING twin_places--;
#define TWIN_IF_PLAIN \
    if (twin_places <= 0) return twin_no(host_error, CURFEW_EXHAUSTED, "no place is left");
#include "twin.h"
