/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: aborts when two of its tasks run at the same time
 * status: crash
 */
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int inside, begun;

/* Slow in its first tasks only, for the cases that run many. */
#define TWIN_IF_PLAIN                                   \
    if (atomic_fetch_add(&inside, 1) > 0) abort();      \
    if (atomic_fetch_add(&begun, 1) < 16) twin_nap(30); \
    atomic_fetch_sub(&inside, 1);

#include "twin.h"
