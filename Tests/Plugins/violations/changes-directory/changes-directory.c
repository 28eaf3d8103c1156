/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the working directory of the process. */
#include "../violation.h"

#include <unistd.h>

static void change(void) { note("chdir", chdir("/")); }

MISDEED_AT_LOAD("org.curfew.violation.changes-directory", change)
