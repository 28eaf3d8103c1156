/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: uses what it asked for without looking at the answer
 * status: crash
 */
#define TWIN_ASKED (void)*(const volatile char *)info.identifier;
#include "twin.h"
