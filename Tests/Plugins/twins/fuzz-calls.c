/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL in a third attempt after a task that was stopped
 * status: crash
 */
#include <stdatomic.h>

static atomic_bool was_stopped;

#define TWIN_IN_RUN \
    if (atomic_exchange(&was_stopped, false) && info.attempt == 3) TWIN_CRASH;
#define TWIN_IF_SLOW      \
    twin_wait(api, task); \
    atomic_store(&was_stopped, true);

#include "twin.h"
