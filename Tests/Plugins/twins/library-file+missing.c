/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: names a library in its manifest that is not there
 */
#include "twin.h"
