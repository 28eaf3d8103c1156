/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: logs bytes that are no UTF-8
 */
#define TWIN_IN_RUN api->log(api, task, CURFEW_LOG_INFO, "\xff\xfe", 2);
#include "twin.h"
