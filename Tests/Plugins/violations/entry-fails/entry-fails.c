/* SPDX-License-Identifier: Apache-2.0 */
/* Registers its handler, and then returns an error from its entry. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    return CURFEW_OK;
}

MISDEED_ENTRY(
    register_as(api, "org.curfew.violation.entry-fails", run, NULL, host_error);
    strcpy(host_error->message, "the licence has run out");
    return CURFEW_FAILED;)
