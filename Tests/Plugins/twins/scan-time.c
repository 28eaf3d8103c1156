/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sleeps for more than a second in its entry
 */
#define TWIN_IN_ENTRY if (TWIN_ONCE) twin_nap(1200);
#include "twin.h"
