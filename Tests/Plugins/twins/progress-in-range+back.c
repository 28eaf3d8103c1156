/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reports a quarter of its work after three quarters
 * status: warn
 */
#define TWIN_IF_PLAIN                              \
    api->progress(api, task, 0.75, NULL, 0);       \
    api->progress(api, task, 0.25, NULL, 0);
#include "twin.h"
