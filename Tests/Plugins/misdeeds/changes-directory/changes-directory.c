/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the whole process to another directory. */
#include "../misdeed.h"

#include <unistd.h>

static void change(void) { note("chdir", chdir("/")); }

MISDEED_AT_LOAD("org.curfew.misdeed.changes-directory", change)
