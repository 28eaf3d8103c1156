/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes its last task when the process ends
 */
#include <curfew/plugin.h>

#include <stdlib.h>

static const curfew_host_api *table;
static curfew_task last;

static void complete(void) {
    if (last != 0) (void)table->complete(table, last, CURFEW_OK, NULL, 0, NULL, 0);
}

#define TWIN_IF_PLAIN                             \
    if (last == 0) atexit(complete);              \
    table = api;                                  \
    last = task;

#include "twin.h"
