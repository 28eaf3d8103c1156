/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: starts a thread when it is retired, which calls the host
 */
#include <curfew/plugin.h>

#include <pthread.h>
#include <time.h>

static const curfew_host_api *table;

static void *tell(void *nothing) {
    const struct timespec nap = {0, 20000000};
    nanosleep(&nap, NULL);
    table->log(table, 0, CURFEW_LOG_DEBUG, "gone", 4);
    return nothing;
}

#define TWIN_IN_ENTRY table = api;
#define TWIN_IN_RETIRE                                                            \
    pthread_t thread;                                                             \
    if (pthread_create(&thread, NULL, tell, NULL) == 0) pthread_detach(thread);

#include "twin.h"
