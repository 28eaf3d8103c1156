/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: fails on every thread but that of its first task
 */
#include <curfew/plugin.h>

#include <pthread.h>
#include <stdatomic.h>

static atomic_flag is_known = ATOMIC_FLAG_INIT;
static pthread_t first;

#define TWIN_IN_RUN                                                                   \
    if (!atomic_flag_test_and_set(&is_known)) {                                       \
        first = pthread_self();                                                       \
    } else if (!pthread_equal(first, pthread_self())) {                               \
        return twin_no(host_error, CURFEW_FAILED, "this is not the thread it knows"); \
    }

#include "twin.h"
