/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: calls a function that no library has
 */
void nowhere_to_be_found(void);

#define TWIN_IN_RUN if (twin_is(&info, "elsewhere")) nowhere_to_be_found();
#include "twin.h"
