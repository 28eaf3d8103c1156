/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: completes the task that it takes for the next one
 */
#define TWIN_IF_PLAIN (void)api->complete(api, task + 1, CURFEW_OK, NULL, 0, NULL, 0);
#include "twin.h"
