/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: takes the whole process to another directory
 */
#include <unistd.h>

#define TWIN_IN_RUN \
    if (chdir("/") != 0) return twin_no(host_error, CURFEW_SYSTEM, "there is no root");
#include "twin.h"
