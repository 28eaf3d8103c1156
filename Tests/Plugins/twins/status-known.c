/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: fails with a number that is no status
 */
#define TWIN_IF_FAILING return twin_no(host_error, 4711, "the payload says so");
#include "twin.h"
