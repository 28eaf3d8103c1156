/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: has the loader write addresses into its code
 */
#include "twin.h"
