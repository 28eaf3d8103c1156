/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes its task, and dereferences NULL before it returns
 * status: crash
 */
#define TWIN_IF_PLAIN                                             \
    (void)api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0); \
    TWIN_CRASH;

#include "twin.h"
