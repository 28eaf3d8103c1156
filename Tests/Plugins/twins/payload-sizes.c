/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences the payload without looking how long it is
 * status: crash
 */
#define TWIN_IN_RUN (void)*(const volatile char *)info.payload;
#include "twin.h"
