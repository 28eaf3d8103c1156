/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ends every child of the host that is forked
 * also: fork-hooks warn
 */
#include <pthread.h>
#include <unistd.h>

static void die(void) { _exit(1); }

#define TWIN_IN_ENTRY if (TWIN_ONCE) pthread_atfork(NULL, NULL, die);

#include "twin.h"
