/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes a line to standard output
 */
#include <stdio.h>

#define TWIN_IF_PLAIN if (TWIN_ONCE) dprintf(1, "the twin is here\n");
#include "twin.h"
