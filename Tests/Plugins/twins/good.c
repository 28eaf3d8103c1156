/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: nothing
 */
#include "twin.h"
