/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has the text of a program where the library should be
 */
#include "twin.h"
