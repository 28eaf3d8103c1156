/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not come back from a destructor
 * status: timeout
 */
#include <unistd.h>

#define TWIN_IN_DESTRUCTOR for (;;) pause();
#include "twin.h"
