/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: uses an extension without looking whether the host has it
 * status: crash
 */
#include <curfew/ext/thread-check.h>

#define TWIN_IN_ENTRY                                                                \
    const curfew_thread_check *check = api->extension(api, CURFEW_EXT_THREAD_CHECK); \
    if (check->current(api) != CURFEW_THREAD_LOADING)                                \
        return twin_no(host_error, CURFEW_FAILED, "the entry is on a thread of its own");

#include "twin.h"
