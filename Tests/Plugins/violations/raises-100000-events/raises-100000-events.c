/* SPDX-License-Identifier: Apache-2.0 */
/* Raises 100,000 events as fast as it can. */
#include "../violation.h"

RUN(run) {
    UNUSED, (void)host_error;
    int64_t queued = 0, busy = 0;
    note("begun", 0);
    for (int32_t i = 0; i < 100000; i++) {
        const curfew_value number = {
            .struct_size = sizeof number, .type = CURFEW_TYPE_INT32, .integer = i};
        switch (api->raise(api, task, "violation_said", &number, 1)) {
        case CURFEW_OK: queued++; break;
        case CURFEW_BUSY: busy++; break;
        }
    }
    note("queued", queued);
    note("busy", busy);
    note("raised", queued + busy);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.raises-100000-events", run, NULL)
