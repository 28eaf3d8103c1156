/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes to a file until that works
 */
#include <fcntl.h>
#include <unistd.h>

#define TWIN_IF_PLAIN                                                                  \
    const int file = open("twin.out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); \
    if (file < 0) return twin_no(host_error, CURFEW_SYSTEM, "there is no file");       \
    unlink("twin.out");                                                                \
    while (write(file, "twin\n", 5) != 5) twin_nap(1);                                 \
    close(file);

#include "twin.h"
