/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: raises an event that its manifest does not declare
 */
#define TWIN_IF_PLAIN (void)api->raise(api, task, "twin_secret", NULL, 0);
#include "twin.h"
