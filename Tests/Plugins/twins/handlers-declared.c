/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has no handlers in its manifest
 */
#include "twin.h"
