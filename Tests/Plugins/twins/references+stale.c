/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: asks about a task that is over
 *
 * It shows where a host runs two tasks that succeed.
 */
#include <curfew/plugin.h>

static curfew_task last;

#define TWIN_IF_PLAIN                                         \
    curfew_task_info before = {.struct_size = sizeof before}; \
    if (last != 0) (void)api->task_info(api, last, &before);  \
    last = task;

#include "twin.h"
