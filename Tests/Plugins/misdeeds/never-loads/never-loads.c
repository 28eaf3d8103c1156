/* SPDX-License-Identifier: Apache-2.0 */
/* Never comes back from being loaded. */
#include "../misdeed.h"

static void stay(void) {
    note("begun", 0);
    wait_for("never");
}

MISDEED_AT_LOAD("org.curfew.misdeed.never-loads", stay)
