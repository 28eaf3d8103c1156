/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL in a destructor
 */
#define TWIN_IN_DESTRUCTOR TWIN_CRASH;
#include "twin.h"
