/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has large blocks come from the heap of all (mallopt)
 */
#include <malloc.h>

#define TWIN_IN_RUN mallopt(M_MMAP_THRESHOLD, 1 << 25);
#include "twin.h"
