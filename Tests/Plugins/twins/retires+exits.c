/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ends the process when it is retired
 */
#include <unistd.h>

#define TWIN_IN_RETIRE _exit(0);
#include "twin.h"
