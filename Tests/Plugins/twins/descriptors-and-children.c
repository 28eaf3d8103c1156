/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves a file open
 * status: leak
 */
#include <fcntl.h>

#define TWIN_IF_PLAIN if (TWIN_ONCE) open("/dev/null", O_RDONLY | O_CLOEXEC);
#include "twin.h"
