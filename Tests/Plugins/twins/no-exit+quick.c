/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ends the process with quick_exit in its run
 */
#include <stdlib.h>

#define TWIN_IN_RUN quick_exit(0);
#include "twin.h"
