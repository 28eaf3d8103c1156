/* SPDX-License-Identifier: Apache-2.0 */
/* Passes bytes that are not UTF-8, and control characters, wherever text is due. */
#include "../violation.h"

#define BAD "\xff\xc3(\xed\xa0\x80\x1b[31m\n\x07"

RUN(run) {
    UNUSED, (void)host_error;
    const curfew_value value = {.struct_size = sizeof value,
                                .type = CURFEW_TYPE_TEXT,
                                .text = BAD,
                                .text_bytes = sizeof BAD - 1};
    note("progress", api->progress(api, task, 0.5, BAD, sizeof BAD - 1));
    api->log(api, task, CURFEW_LOG_WARNING, BAD, sizeof BAD - 1);
    note("raise", api->raise(api, task, "violation_said", &value, 1));
    note("raise of it", api->raise(api, task, BAD, NULL, 0));
    note("begun", 0);
    wait_for("go");
    note("complete", api->complete(api, task, CURFEW_FAILED, BAD, sizeof BAD - 1, NULL, 0));
    return CURFEW_OK;
}

MISDEED_ENTRY(
    note("register", register_as(api, BAD, run, NULL, NULL));
    return register_as(api, "org.curfew.violation.bad-utf8", run, NULL, host_error);)
