/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns from its entry, or from a constructor. */
#include "../violation.h"

static void stay(void) {
    note("begun", 0);
    wait_for("never");
}

MISDEED_AT_LOAD("org.curfew.violation.never-loads", stay)
