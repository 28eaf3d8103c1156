/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: leaves an alarm behind, which somebody else gets
 */
#include <unistd.h>

#define TWIN_IN_RUN alarm(3600);
#include "twin.h"
