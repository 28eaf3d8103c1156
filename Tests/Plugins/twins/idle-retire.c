/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: takes 300 ms to be retired
 */
#define TWIN_IN_RETIRE if (TWIN_ONCE) twin_nap(300);
#include "twin.h"
