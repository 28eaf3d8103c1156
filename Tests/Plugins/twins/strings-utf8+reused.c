/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: logs a text that it has freed, where other texts are by then
 */
#include <stdlib.h>
#include <string.h>

enum { TWIN_BYTES = 1200, TWIN_OTHERS = 64 };

static char *twin_new_text(void) {
    char *text = malloc(TWIN_BYTES);
    if (text != NULL) memset(text, 0x2e, TWIN_BYTES);
    return text;
}

/* Volatile, so that no compiler sees what comes. */
#define TWIN_IN_RUN                                                                              \
    char *volatile others[TWIN_OTHERS];                                                          \
    char *volatile text = twin_new_text();                                                       \
    free(text);                                                                                  \
    for (int i = 0; i < TWIN_OTHERS; i++) others[i] = twin_new_text();                           \
    if (text != NULL) api->log(api, task, CURFEW_LOG_INFO, text + TWIN_BYTES / 2, 24);           \
    for (int i = 0; i < TWIN_OTHERS; i++) free(others[i]);
#include "twin.h"
