/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: exports no entry
 */
#define TWIN_NO_ENTRY
#include "twin.h"
