/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sets a variable of the environment
 */
#include <stdlib.h>

#define TWIN_IN_RUN setenv("TWIN", "was here", 1);
#include "twin.h"
