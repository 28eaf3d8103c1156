/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: writes a line to standard error in a constructor
 *
 * Not to standard output, which is another case's.
 */
#include <stdio.h>

#define TWIN_IN_CONSTRUCTOR fputs("the twin is here\n", stderr);
#include "twin.h"
