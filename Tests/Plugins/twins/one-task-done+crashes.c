/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL in its run
 * status: crash
 */
#define TWIN_IN_RUN TWIN_CRASH;
#include "twin.h"
