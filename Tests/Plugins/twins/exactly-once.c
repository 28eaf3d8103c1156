/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes its task twice
 */
#define TWIN_IF_PLAIN                                            \
    (void)api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0); \
    (void)api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
#include "twin.h"
