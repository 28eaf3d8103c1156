/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes every new file writable for everybody
 */
#include <sys/stat.h>

#define TWIN_IN_RUN umask(0);
#include "twin.h"
