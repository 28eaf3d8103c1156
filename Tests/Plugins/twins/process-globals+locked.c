/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: locks a page of memory, of which a user may lock few
 */
#include <sys/mman.h>

static char twin_page[4096];
#define TWIN_IN_RUN mlock(twin_page, 1);
#include "twin.h"
