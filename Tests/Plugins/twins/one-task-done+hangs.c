/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not come back from its run
 */
#include <unistd.h>

#define TWIN_IN_RUN for (;;) pause();
#include "twin.h"
