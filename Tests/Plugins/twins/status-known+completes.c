/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes its failing task with a number that is no status
 */
#define TWIN_IF_FAILING                                                                \
    (void)api->complete(api, task, 4711, CURFEW_TEXT("the payload says so"), NULL, 0); \
    return CURFEW_OK;
#include "twin.h"
