/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: refuses to be loaded by a second host
 */
#include <stdbool.h>

static bool is_loaded;

#define TWIN_IN_ENTRY                                                                 \
    if (is_loaded) return twin_no(host_error, CURFEW_FAILED, "it is loaded already"); \
    is_loaded = true;

#include "twin.h"
