/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: makes its worker round upwards
 */
#include <fenv.h>

#define TWIN_IN_RUN fesetround(FE_UPWARD);
#include "twin.h"
