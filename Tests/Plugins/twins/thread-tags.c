/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: registers its handler from a thread of its own
 */
#include <curfew/plugin.h>

#include <pthread.h>

static const curfew_host_api *table;

static void *on_thread(void *handler) {
    return table->register_handler(table, handler, NULL) == CURFEW_OK ? handler : NULL;
}

/* A host that does not take it from there gets it again as it should. */
#define TWIN_IN_ENTRY                                                    \
    table = api;                                                         \
    pthread_t thread;                                                    \
    void *taken = NULL;                                                  \
    if (pthread_create(&thread, NULL, on_thread, (void *)&handler) == 0) \
        pthread_join(thread, &taken);                                    \
    if (taken != NULL) return CURFEW_OK;

#include "twin.h"
