/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: never returns once its budget is up
 */
#include <unistd.h>

#define TWIN_IF_SLOW                                                 \
    twin_wait(api, task);                                            \
    if (twin_reason(api, task) == CURFEW_REASON_BUDGET && TWIN_ONCE) \
        for (;;) pause();

#include "twin.h"
