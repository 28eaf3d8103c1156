/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL when it is retired
 * status: crash
 */
#define TWIN_IN_RETIRE TWIN_CRASH;
#include "twin.h"
