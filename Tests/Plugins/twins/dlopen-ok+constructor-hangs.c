/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not come back from a constructor
 * status: timeout
 */
#include <unistd.h>

#define TWIN_IN_CONSTRUCTOR for (;;) pause();
#include "twin.h"
