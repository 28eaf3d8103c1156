/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes a file for a while, and never removes it
 * status: leak
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TWIN_IN_ENTRY                                                                    \
    char path[4096];                                                                     \
    const char *place = getenv("TMPDIR");                                                \
    snprintf(path, sizeof path, "%s/twin-XXXXXX", place == NULL ? "/tmp" : place);       \
    const int file = mkstemp(path);                                                      \
    if (file >= 0) close(file);
#include "twin.h"
