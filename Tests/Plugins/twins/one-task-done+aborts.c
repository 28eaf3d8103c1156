/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: calls abort in its run
 * status: crash
 */
#include <stdlib.h>

#define TWIN_IN_RUN abort();
#include "twin.h"
