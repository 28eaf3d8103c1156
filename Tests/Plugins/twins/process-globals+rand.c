/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has the numbers of rand begin anew
 */
#include <stdlib.h>
#include <time.h>

#define TWIN_IN_ENTRY srand((unsigned)time(NULL));
#include "twin.h"
