/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes two bytes more than it has room for, of a payload of one length
 * status: fail
 */
#include <stdlib.h>

#define TWIN_IN_RUN                                         \
    if (info.payload_bytes == 65537) {                      \
        volatile char *copy = malloc(40);                   \
        for (int at = 0; copy != NULL && at < 42; at++) copy[at] = 1; \
        free((void *)copy);                                 \
    }
#include "twin.h"
