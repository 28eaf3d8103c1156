/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: finds pthread_atfork by its name, and is called at each fork
 */
#include <dlfcn.h>
#include <string.h>

static volatile int forks;
static void count(void) { forks++; }

#define TWIN_IF_PLAIN                                                                     \
    if (TWIN_ONCE) {                                                                      \
        int (*hook)(void (*)(void), void (*)(void), void (*)(void), void *) = NULL;       \
        void *const found = dlsym(RTLD_DEFAULT, "__register_atfork");                     \
        memcpy(&hook, &found, sizeof hook);                                               \
        if (hook != NULL) (void)hook(count, NULL, NULL, NULL);                            \
    }

#include "twin.h"
