/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: opens a file in a constructor
 *
 * The entry closes it, so that nothing of it is left when the plugin is retired.
 */
#include <fcntl.h>
#include <unistd.h>

static int opened = -1;

#define TWIN_IN_CONSTRUCTOR opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
#define TWIN_IN_ENTRY  \
    if (opened >= 0) { \
        close(opened); \
        opened = -1;   \
    }

#include "twin.h"
