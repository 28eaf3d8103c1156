/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ignores a signal from its run on
 */
#include <signal.h>

#define TWIN_IN_RUN signal(SIGUSR1, SIG_IGN);
#include "twin.h"
