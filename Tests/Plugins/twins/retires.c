/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: dereferences NULL when it is retired
 */
#define TWIN_IN_RETIRE TWIN_CRASH;
#include "twin.h"
