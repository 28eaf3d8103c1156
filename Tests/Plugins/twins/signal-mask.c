/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: lets its worker take a signal that is meant for others
 */
#include <signal.h>

#define TWIN_IN_RUN           \
    sigset_t one;             \
    sigemptyset(&one);        \
    sigaddset(&one, SIGUSR2); \
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);

#include "twin.h"
