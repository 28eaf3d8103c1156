/* SPDX-License-Identifier: Apache-2.0 */
/* Registers its function under an identifier that another plugin has. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    return CURFEW_OK;
}

MISDEED_ENTRY(
    const curfew_status status =
        register_as(api, "org.curfew.test.good", run, NULL, host_error);
    note("register", status);
    return status;)
