/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has two handlers with one identifier in its manifest
 */
#include "twin.h"
