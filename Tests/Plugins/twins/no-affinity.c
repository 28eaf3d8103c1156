/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: fails on every thread but that of its first task
 */
#include <curfew/plugin.h>

#include <pthread.h>
#include <stdatomic.h>

static const curfew_host_api *_Atomic first_table;
static pthread_t first;

/* Only for the first host: the workers of another are others in any case. */
#define TWIN_IN_RUN                                                                   \
    const curfew_host_api *table = NULL;                                              \
    if (atomic_compare_exchange_strong(&first_table, &table, api)) {                  \
        first = pthread_self();                                                       \
    } else if (table == api && !pthread_equal(first, pthread_self())) {               \
        return twin_no(host_error, CURFEW_FAILED, "this is not the thread it knows"); \
    }

#include "twin.h"
