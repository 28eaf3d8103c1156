/* SPDX-License-Identifier: Apache-2.0 */
#include "curfew_child.h"

#include <stdio.h>
#include <sys/socket.h>

/* A host executes this file with two descriptors, and with nothing else. */
int main(void) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(spawner_socket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
        type != SOCK_SEQPACKET) {
        fputs("curfew-child: hosts of Curfew start this program; it does nothing by itself\n", stderr);
        return 64;
    }
    spawner_run();
}
