/* SPDX-License-Identifier: Apache-2.0 */
/* Never comes back from being loaded. */
#include "../violation.h"

static void stay(void) {
    note("begun", 0);
    wait_for("never");
}

MISDEED_AT_LOAD("org.curfew.violation.never-loads", stay)
