/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function that no library has; `libraries` lets the linker pass it. */
#include "../violation.h"

curfew_status nowhere_to_be_found(void);

RUN(run) {
    UNUSED, (void)host_error;
    return nowhere_to_be_found();
}

MISDEED("org.curfew.violation.unresolved-symbol", run, NULL)
