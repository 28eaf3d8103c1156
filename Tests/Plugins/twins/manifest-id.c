/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has an id without a dot in its manifest
 */
#define TWIN_ID "twin"
#include "twin.h"
