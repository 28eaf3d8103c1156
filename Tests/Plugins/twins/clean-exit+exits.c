/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ends the process in a destructor, before others have had their turn
 */
#include <unistd.h>

#define TWIN_IN_DESTRUCTOR _exit(0);
#include "twin.h"
