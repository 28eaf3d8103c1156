/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: needs a library that does not exist
 */
#include "twin.h"
