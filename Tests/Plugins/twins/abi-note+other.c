/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: was built for another ABI
 */
#include <curfew/plugin.h>

#define CURFEW_ABI_VERSION 4711
CURFEW_PLUGIN_NOTE();
#undef CURFEW_ABI_VERSION

#define TWIN_NO_NOTE

#include "twin.h"
