/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has a function called at every fork
 * status: warn
 */
#include <pthread.h>

static void nothing(void) {}

#define TWIN_IN_ENTRY if (TWIN_ONCE) pthread_atfork(NULL, NULL, nothing);
#include "twin.h"
