/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes 5,000 bytes to standard error
 */
#include <stdio.h>

#define TWIN_IF_PLAIN if (TWIN_ONCE) dprintf(2, "%05000d\n", 0);
#include "twin.h"
