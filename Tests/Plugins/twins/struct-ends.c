/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reads the word after the host's table, as a member of a later version
 * status: crash
 */
#include <curfew/plugin.h>

struct later {
    curfew_host_api table;
    void *volatile member;
};

#define TWIN_IN_ENTRY (void)((const struct later *)api)->member;

#include "twin.h"
