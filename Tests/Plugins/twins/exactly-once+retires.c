/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes its last task once more when it is retired
 */
#include <curfew/plugin.h>

static const curfew_host_api *table;
static curfew_task last;

#define TWIN_IF_PLAIN \
    table = api;      \
    last = task;
#define TWIN_IN_RETIRE \
    if (last != 0) (void)table->complete(table, last, CURFEW_OK, NULL, 0, NULL, 0);

#include "twin.h"
