/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reports that one and a half of its work is done
 */
#define TWIN_IF_PLAIN (void)api->progress(api, task, 1.5, CURFEW_TEXT("more than all"));
#include "twin.h"
