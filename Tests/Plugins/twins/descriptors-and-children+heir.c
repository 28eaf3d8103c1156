/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a child that keeps every descriptor open
 * status: leak
 *
 * Who reads what the process writes until everybody has closed it waits for the child, too: two
 * minutes.
 */
#include <unistd.h>

#define TWIN_IF_PLAIN               \
    if (TWIN_ONCE && fork() == 0) { \
        setsid();                   \
        sleep(120);                 \
        _exit(0);                   \
    }

#include "twin.h"
