/* SPDX-License-Identifier: Apache-2.0 */
/* Passes NULL wherever text is due, with a length above 0. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    const curfew_value value = {
        .struct_size = sizeof value, .type = CURFEW_TYPE_TEXT, .text = NULL, .text_bytes = 9};
    note("progress", api->progress(api, task, 0.5, NULL, 9));
    api->log(api, task, CURFEW_LOG_WARNING, NULL, 9);
    note("raise", api->raise(api, task, "violation_said", &value, 1));
    note("raise of NULL", api->raise(api, task, NULL, NULL, 0));
    note("raise without values", api->raise(api, task, "violation_said", NULL, 1));
    note("extension", api->extension(api, NULL) != NULL);
    note("begun", 0);
    wait_for("go");
    note("complete", api->complete(api, task, CURFEW_FAILED, NULL, 9, NULL, 0));
    return CURFEW_OK;
}

MISDEED_ENTRY(
    note("register", register_as(api, NULL, run, NULL, NULL));
    return register_as(api, "org.curfew.violation.null-text", run, NULL, host_error);)
