/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: gives the host's thread its own name
 */
#include <pthread.h>

#define TWIN_IN_RUN pthread_setname_np(pthread_self(), "twin");
#include "twin.h"
