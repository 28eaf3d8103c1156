/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a progress of 7, completes with PENDING, and with a result at NULL. */
#include "../violation.h"

#include <math.h>

RUN(run) {
    UNUSED, (void)host_error;
    note("progress of 7", api->progress(api, task, 7, NULL, 0));
    note("progress of NaN", api->progress(api, task, nan(""), NULL, 0));
    note("complete as pending", api->complete(api, task, CURFEW_PENDING, NULL, 0, NULL, 0));
    note("complete with nothing", api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 1000));
    note("complete with too much",
         api->complete(api, task, CURFEW_OK, NULL, 0, "x", (uint64_t)1 << 40));
    note("begun", 0);
    wait_for("go");
    return 4711;
}

MISDEED("org.curfew.violation.talks-nonsense", run, NULL)
