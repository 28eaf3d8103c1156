/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: logs a text that it has freed
 */
#include <stdlib.h>
#include <string.h>

/* Volatile, so that no compiler sees what comes. */
static char *volatile twin_text;

#define TWIN_IN_RUN                                                                   \
    twin_text = malloc(240);                                                          \
    if (twin_text != NULL) {                                                          \
        memset(twin_text, 0x2e, 240);                                                 \
        free(twin_text);                                                              \
        api->log(api, task, CURFEW_LOG_INFO, twin_text + 180, 24);                    \
    }
#include "twin.h"
