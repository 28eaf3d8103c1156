/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sleeps 150 ms in its expiration callback
 */
#define TWIN_IN_EXPIRED if (TWIN_ONCE) twin_nap(150);
#include "twin.h"
