/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: lets the host's thread be cancelled at any moment, from then on
 */
#include <pthread.h>

#define TWIN_IN_RUN                                              \
    int before;                                                  \
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
#include "twin.h"
