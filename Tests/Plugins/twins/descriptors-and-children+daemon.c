/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a daemon, whose parent has ended
 * status: leak
 *
 * The daemon ends by itself after two minutes, in case that nothing kills it.
 */
#include <sys/wait.h>
#include <unistd.h>

#define TWIN_IF_PLAIN                  \
    if (TWIN_ONCE) {                   \
        const pid_t first = fork();    \
        if (first == 0) {              \
            setsid();                  \
            if (fork() != 0) _exit(0); \
            close_range(0, ~0U, 0);    \
            sleep(120);                \
            _exit(0);                  \
        }                              \
        waitpid(first, NULL, 0);       \
    }

#include "twin.h"
