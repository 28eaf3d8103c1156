/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes a key of thread-local data in each task, while there are any
 * status: leak
 */
#include <pthread.h>

#define TWIN_IF_PLAIN  \
    pthread_key_t key; \
    (void)pthread_key_create(&key, NULL);
#include "twin.h"
