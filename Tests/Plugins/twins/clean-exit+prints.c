/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: prints when the process ends
 */
#include <stdio.h>

#define TWIN_IN_DESTRUCTOR puts("the twin is gone");
#include "twin.h"
