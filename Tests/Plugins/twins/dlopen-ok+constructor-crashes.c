/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL in a constructor
 * status: crash
 */
#define TWIN_IN_CONSTRUCTOR TWIN_CRASH;
#include "twin.h"
