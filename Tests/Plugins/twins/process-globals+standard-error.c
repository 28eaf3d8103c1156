/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes everybody's standard error one that does not wait
 */
#include <fcntl.h>

#define TWIN_IN_RUN fcntl(2, F_SETFL, fcntl(2, F_GETFL) ^ O_NONBLOCK);
#include "twin.h"
