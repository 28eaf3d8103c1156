/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to address 0: in its constructor, its entry, its function or its expiration callback. */
#include "../violation.h"

static void crash(void) {
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    if (form_is("run")) crash();
    wait_for("never");
    return CURFEW_OK;
}

EXPIRED(expired) {
    UNUSED, (void)reason;
    if (!form_is("expired")) return;
    wait_for("go");
    crash();
}

__attribute__((constructor)) static void loaded(void) {
    if (form_is("constructor")) crash();
}

MISDEED_ENTRY(
    if (form_is("entry")) crash();
    return register_as(api, "org.curfew.violation.crashes", run, expired, host_error);)
