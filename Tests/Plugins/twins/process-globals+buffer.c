/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: gives standard output a buffer of its own
 */
#include <stdio.h>

static char twin_buffer[4096];
#define TWIN_IF_PLAIN if (TWIN_ONCE) setvbuf(stdout, twin_buffer, _IOFBF, sizeof twin_buffer);
#include "twin.h"
