/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: loses its buffer when it is told to stop
 * status: leak
 */
#include <stdlib.h>

static char *volatile buffer;

#define TWIN_IF_SLOW buffer = malloc(4000);
#include "twin.h"
