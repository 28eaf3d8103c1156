/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: gives up the right to gain privileges, for the programs of every task that follows
 */
#include <sys/prctl.h>

#define TWIN_IN_RUN prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#include "twin.h"
