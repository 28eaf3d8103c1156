/* SPDX-License-Identifier: Apache-2.0 */
/* Makes every new file of the process writable for all users. */
#include "../violation.h"

#include <sys/stat.h>

static void change(void) { note("umask", umask(0) == 0 ? 1 : 0); }

MISDEED_AT_LOAD("org.curfew.violation.changes-umask", change)
