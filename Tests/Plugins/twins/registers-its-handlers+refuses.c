/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does not want to be loaded
 */
#define TWIN_IN_ENTRY return twin_no(host_error, CURFEW_FAILED, "the licence has run out");
#include "twin.h"
