/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: calls itself in its run until its stack is full
 * status: crash
 */
#include <stdbool.h>

static volatile bool is_deep_enough;

__attribute__((noinline)) static int deeper(const volatile char *above) {
    volatile char frame[4096];
    frame[0] = above[0];
    return is_deep_enough ? 0 : deeper(frame) + frame[0];
}

#define TWIN_IN_RUN deeper("");

#include "twin.h"
