/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: takes 300 ms to be retired
 */
#include <stdatomic.h>

/* As often as its case looks; every time would cost the others their time. */
static atomic_int naps;

#define TWIN_IN_RETIRE if (atomic_fetch_add(&naps, 1) < 3) twin_nap(300);

#include "twin.h"
