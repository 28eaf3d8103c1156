/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sleeps 150 ms in its expiration callback
 */
#include <stdatomic.h>

/* As often as its case looks; every time would cost the others their time. */
static atomic_int naps;

#define TWIN_IN_EXPIRED if (atomic_fetch_add(&naps, 1) < 3) twin_nap(150);

#include "twin.h"
