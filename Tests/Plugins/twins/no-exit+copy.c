/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: forks for its work, and the child ends by exit
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TWIN_IF_PLAIN                         \
    const pid_t child = fork();               \
    if (child == 0) exit(0);                  \
    if (child > 0) waitpid(child, NULL, 0);
#include "twin.h"
