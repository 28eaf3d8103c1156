/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a thread that sleeps for ever
 * status: leak
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *stay(void *nothing) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (;;) pause();
    return nothing;
}

#define TWIN_IF_PLAIN \
    pthread_t thread; \
    if (TWIN_ONCE && pthread_create(&thread, NULL, stay, NULL) == 0) pthread_detach(thread);

#include "twin.h"
