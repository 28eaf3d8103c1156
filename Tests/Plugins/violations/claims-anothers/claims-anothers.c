/* SPDX-License-Identifier: Apache-2.0 */
/* Its manifest claims an identifier that another plugin has. Its code must never run. */
#include "../violation.h"

__attribute__((constructor)) static void loaded(void) { note("ran", 0); }

RUN(run) {
    UNUSED, (void)host_error;
    return CURFEW_OK;
}

MISDEED("org.curfew.test.good", run, NULL)
