/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: gives the host's thread another scheduling policy
 */
#include <sched.h>

#define TWIN_IN_RUN                               \
    const struct sched_param none = {0};          \
    sched_setscheduler(0, SCHED_BATCH, &none);
#include "twin.h"
