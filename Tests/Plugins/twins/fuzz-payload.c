/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL when a byte FF is in its payload
 * status: crash
 */
#define TWIN_IN_RUN \
    if (info.payload_bytes > 0 && memchr(info.payload, 0xff, info.payload_bytes)) TWIN_CRASH;
#include "twin.h"
