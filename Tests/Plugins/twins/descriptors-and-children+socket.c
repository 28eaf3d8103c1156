/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a socket that listens
 * status: leak
 */
#include <sys/socket.h>
#include <sys/un.h>

/* Without a name the kernel gives it one in the abstract space. */
#define TWIN_IF_PLAIN                                                                     \
    if (TWIN_ONCE) {                                                                      \
        const struct sockaddr_un nameless = {.sun_family = AF_UNIX};                      \
        const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);                \
        if (bind(opened, (const struct sockaddr *)&nameless, sizeof nameless.sun_family)) \
            return twin_no(host_error, CURFEW_SYSTEM, "there is no socket");              \
        listen(opened, 1);                                                                \
    }

#include "twin.h"
