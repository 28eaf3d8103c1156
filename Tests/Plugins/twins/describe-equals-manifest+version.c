/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: tells another version than its manifest
 */
#define TWIN_IN_ENTRY host_info->version = "1.0.1";
#include "twin.h"
