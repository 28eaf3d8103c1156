/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: says that its task goes on, and drops it
 *
 * It has an example of its own for that, so that its others end as they should.
 */
#include <curfew/plugin.h>

#include <pthread.h>
#include <time.h>

static const curfew_host_api *table;
static curfew_task forgotten;
static pthread_t thread;
static bool is_there;

static void *forget(void *nothing) {
    const struct timespec nap = {0, 20000000};
    nanosleep(&nap, NULL);
    /* One that was told to stop meanwhile answers: other cases stop it as well. */
    if (table->is_expired(table, forgotten))
        (void)table->complete(table, forgotten, CURFEW_OK, NULL, 0, NULL, 0);
    else
        (void)table->release(table, forgotten);
    return nothing;
}

static void end(void) {
    if (is_there) pthread_join(thread, NULL);
    is_there = false;
}

#define TWIN_IN_RUN                                                                     \
    if (twin_is(&info, "forget")) {                                                     \
        end();                                                                          \
        table = api;                                                                    \
        forgotten = task;                                                               \
        is_there = pthread_create(&thread, NULL, forget, NULL) == 0;                    \
        if (!is_there) return twin_no(host_error, CURFEW_FAILED, "there is no thread"); \
        return CURFEW_PENDING;                                                          \
    }
#define TWIN_IN_RETIRE end();

#include "twin.h"
