/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: asks for a stack that can be executed
 */
#include "twin.h"
