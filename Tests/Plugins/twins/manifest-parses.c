/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has a comma too many in its manifest
 */
#include "twin.h"
