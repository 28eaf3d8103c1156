/* SPDX-License-Identifier: Apache-2.0 */
/* Passes 10 MB wherever text is due. */
#include "../violation.h"

enum { size = 10 * 1000 * 1000 };

static char *text(void) {
    char *bytes = malloc(size + 1);
    if (bytes == NULL) abort();
    memset(bytes, 'x', size);
    bytes[size] = 0;
    return bytes;
}

RUN(run) {
    UNUSED, (void)host_error;
    char *huge = text();
    const curfew_value value = {
        .struct_size = sizeof value, .type = CURFEW_TYPE_TEXT, .text = huge, .text_bytes = size};
    note("progress", api->progress(api, task, 0.5, huge, size));
    api->log(api, task, CURFEW_LOG_WARNING, huge, size);
    note("raise", api->raise(api, task, "violation_said", &value, 1));
    note("raise of it", api->raise(api, task, huge, NULL, 0));
    note("begun", 0);
    wait_for("go");
    note("complete with it", api->complete(api, task, CURFEW_OK, NULL, 0, huge, size));
    note("complete", api->complete(api, task, CURFEW_FAILED, huge, size, NULL, 0));
    free(huge);
    return CURFEW_OK;
}

MISDEED_ENTRY(
    char *huge = text();
    note("register", register_as(api, huge, run, NULL, NULL));
    free(huge);
    return register_as(api, "org.curfew.violation.huge-text", run, NULL, host_error);)
