/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: ignores a signal in a constructor
 *
 * The entry puts back what was there, for the cases about what a task changes.
 */
#include <signal.h>

static void (*before)(int);

#define TWIN_IN_CONSTRUCTOR before = signal(SIGUSR1, SIG_IGN);
#define TWIN_IN_ENTRY            \
    if (before != SIG_ERR) {     \
        signal(SIGUSR1, before); \
        before = SIG_ERR;        \
    }

#include "twin.h"
