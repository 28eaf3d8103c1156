/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reads the byte after its payload
 * status: crash
 */
/* Of the example only: in a host nothing is known of what comes after a large payload. */
#define TWIN_IF_PLAIN \
    if (twin_is(&info, "plain")) (void)((const volatile char *)info.payload)[info.payload_bytes];
#include "twin.h"
