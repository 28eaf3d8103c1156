/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not look whether there is memory
 * status: crash
 */
#include <stdlib.h>

#define TWIN_IF_PLAIN                         \
    volatile char *const text = malloc(100);  \
    text[0] = 1;                              \
    free((void *)text);
#include "twin.h"
