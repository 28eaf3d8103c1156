/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ends the process in a constructor
 */
#include <unistd.h>

#define TWIN_IN_CONSTRUCTOR _exit(0);
#include "twin.h"
