/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL when a worker that has run it ends
 * status: crash
 */
#include <pthread.h>
#include <stdbool.h>

static pthread_key_t key;
static bool is_made;

static void crash(void *value) { *(*(char *volatile *)value) = 1; }

static char *volatile nowhere;

#define TWIN_IF_PLAIN                                             \
    if (!is_made) is_made = pthread_key_create(&key, crash) == 0; \
    if (is_made) pthread_setspecific(key, (const void *)&nowhere);

#include "twin.h"
