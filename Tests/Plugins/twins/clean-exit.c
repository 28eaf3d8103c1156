/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL in a destructor
 * status: crash
 */
#define TWIN_IN_DESTRUCTOR TWIN_CRASH;
#include "twin.h"
