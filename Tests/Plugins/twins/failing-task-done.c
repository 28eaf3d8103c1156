/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: fails without a text
 */
#define TWIN_IF_FAILING return CURFEW_FAILED;
#include "twin.h"
