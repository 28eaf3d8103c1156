/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: lets the loader search for libraries in a relative directory
 */
#include "twin.h"
