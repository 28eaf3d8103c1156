/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the whole process to another directory. */
#include "../violation.h"

#include <unistd.h>

static void change(void) { note("chdir", chdir("/")); }

MISDEED_AT_LOAD("org.curfew.violation.changes-directory", change)
