/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: sets the whole struct of the error to 0 before it fails, and so its size
 */
#define TWIN_IF_FAILING memset(host_error, 0, sizeof *host_error);
#include "twin.h"
