/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: kills its own process in its run
 * status: crash
 */
#include <signal.h>

#define TWIN_IN_RUN raise(SIGKILL);
#include "twin.h"
