/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: changes the status of a process that ends well
 */
#include <stdlib.h>
#include <unistd.h>

static void leave(int status, void *nothing) {
    (void)nothing;
    if (status == 0) _exit(3);
}

#define TWIN_IF_PLAIN \
    if (TWIN_ONCE) on_exit(leave, NULL);

#include "twin.h"
