/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins of this directory share: little, so that each is a whole plugin, as a stranger
 * writes one. C and C++. */
#ifndef STRANGER_H
#define STRANGER_H

#include <curfew/plugin.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Writes the text of a failure, and returns CURFEW_FAILED. */
static inline curfew_status failed(curfew_error *error, const char *text) {
    snprintf(error->message, sizeof error->message, "%s", text);
    return CURFEW_FAILED;
}

static inline bool payload_is(const curfew_task_info *info, const char *word) {
    return info->payload_bytes == strlen(word) && memcmp(info->payload, word, strlen(word)) == 0;
}

static inline void pause_ms(int milliseconds) {
    struct timespec span;
    span.tv_sec = milliseconds / 1000;
    span.tv_nsec = milliseconds % 1000 * 1000000L;
    nanosleep(&span, NULL);
}

#endif
