/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a child in a session of its own
 * status: leak
 *
 * The child ends by itself after two minutes: nobody may be there to find it.
 */
#include <unistd.h>

#define TWIN_IF_PLAIN               \
    if (TWIN_ONCE && fork() == 0) { \
        setsid();                   \
        close_range(0, ~0U, 0);     \
        sleep(120);                 \
        _exit(0);                   \
    }

#include "twin.h"
