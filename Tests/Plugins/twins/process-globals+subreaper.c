/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: adopts the orphans of the host's children
 */
#include <sys/prctl.h>

#define TWIN_IN_RUN prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#include "twin.h"
