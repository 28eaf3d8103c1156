/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: keeps a reference to its last task until the next one
 */
#include <curfew/plugin.h>

static curfew_task last;

#define TWIN_IF_PLAIN                             \
    if (last != 0) (void)api->release(api, last); \
    last = api->keep(api, task) == CURFEW_OK ? task : 0;

#include "twin.h"
