/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: reads from a file without looking whether it could be opened
 * status: crash
 */
#include <stdio.h>

#define TWIN_IF_PLAIN                     \
    FILE *file = fopen("/dev/null", "r"); \
    fgetc(file);                          \
    fclose(file);

#include "twin.h"
