/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: blocks a signal on its worker
 */
#include <signal.h>

#define TWIN_IN_RUN           \
    sigset_t one;             \
    sigemptyset(&one);        \
    sigaddset(&one, SIGUSR2); \
    pthread_sigmask(SIG_BLOCK, &one, NULL);

#include "twin.h"
