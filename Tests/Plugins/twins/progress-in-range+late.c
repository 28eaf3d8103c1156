/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reports progress after it has completed its task
 */
#define TWIN_IF_PLAIN                                                   \
    (void)api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);        \
    (void)api->progress(api, task, 1, NULL, 0);                         \
    return CURFEW_OK;
#include "twin.h"
