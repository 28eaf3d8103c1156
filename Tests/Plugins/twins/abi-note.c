/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not say for which ABI it was built
 */
#define TWIN_NO_NOTE
#include "twin.h"
