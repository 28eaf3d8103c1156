/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes a named semaphore once for all, which nobody removes
 * status: warn
 */
#include <fcntl.h>
#include <semaphore.h>

#define TWIN_IF_PLAIN                                                \
    sem_t *const sem = sem_open("/curfew-twin", O_CREAT, 0600, 1);   \
    if (sem != SEM_FAILED) sem_close(sem);
#include "twin.h"
