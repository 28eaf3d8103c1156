/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes to its payload
 * status: crash
 */
#define TWIN_IF_PLAIN                                       \
    volatile char *payload = (volatile char *)info.payload; \
    if (info.payload_bytes > 0) payload[0] = payload[0];
#include "twin.h"
