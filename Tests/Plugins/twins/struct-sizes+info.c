/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sets the whole description of itself to 0 and fills it in again
 */
#define TWIN_IN_ENTRY                             \
    memset(host_info, 0, sizeof *host_info);      \
    host_info->id = TWIN_ID;                      \
    host_info->version = "1.0.0";
#include "twin.h"
