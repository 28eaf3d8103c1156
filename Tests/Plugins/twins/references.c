/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: releases a reference that it did not take
 */
#define TWIN_IF_PLAIN (void)api->release(api, task);
#include "twin.h"
