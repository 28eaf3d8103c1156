/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: exports a second function
 */
#include <curfew/plugin.h>

CURFEW_PLUGIN_EXPORT int twin_second(void);
int twin_second(void) { return 2; }
#include "twin.h"
