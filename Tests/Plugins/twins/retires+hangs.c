/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not come back when it is retired
 */
#include <unistd.h>

#define TWIN_IN_RETIRE for (;;) pause();
#include "twin.h"
