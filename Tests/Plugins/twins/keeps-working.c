/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has places for 300 tasks, and gives none back
 */
#include <stdatomic.h>

static _Atomic int twin_places = 300;
#define TWIN_IF_PLAIN \
    if (twin_places-- <= 0) return twin_no(host_error, CURFEW_EXHAUSTED, "no place is left");
#include "twin.h"
