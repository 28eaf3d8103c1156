/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sets a variable of the environment when it is loaded
 */
#include <stdlib.h>

#define TWIN_IN_ENTRY setenv("TWIN", "was here", 1);
#include "twin.h"
