/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: starts a thread in a constructor
 *
 * The entry ends it, so that nothing of it is left when the plugin is retired.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static pthread_t thread;
static atomic_bool is_there;

static void *stay(void *nothing) {
    const struct timespec nap = {0, 1000000};
    while (atomic_load(&is_there)) nanosleep(&nap, NULL);
    return nothing;
}

#define TWIN_IN_CONSTRUCTOR                             \
    sigset_t all, before;                               \
    sigfillset(&all);                                   \
    pthread_sigmask(SIG_SETMASK, &all, &before);        \
    atomic_store(&is_there, true);                      \
    if (pthread_create(&thread, NULL, stay, NULL) != 0) \
        atomic_store(&is_there, false);                 \
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#define TWIN_IN_ENTRY \
    if (atomic_exchange(&is_there, false)) pthread_join(thread, NULL);

#include "twin.h"
