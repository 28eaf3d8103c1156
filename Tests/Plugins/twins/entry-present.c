/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: exports a variable with the name of the entry
 */
#define TWIN_NO_ENTRY
#include "twin.h"

/* By another name in C, where the header has the function's. */
extern int twin_entry __asm__("curfew_plugin_entry");
CURFEW_PLUGIN_EXPORT int twin_entry = 1;
