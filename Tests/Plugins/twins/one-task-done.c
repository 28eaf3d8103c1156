/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: fails whatever its payload is
 */
#define TWIN_IN_RUN return twin_no(host_error, CURFEW_FAILED, "not today");
#include "twin.h"
