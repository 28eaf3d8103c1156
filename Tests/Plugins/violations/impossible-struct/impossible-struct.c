/* SPDX-License-Identifier: Apache-2.0 */
/* Passes structures with sizes that no version of them can have. */
#include "../violation.h"

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error);

static curfew_status register_sized(const curfew_host_api *api, uint32_t size,
                                    curfew_error *host_error) {
    const curfew_handler handler = {.struct_size = size,
                                    .identifier = "org.curfew.violation.impossible-struct",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}

RUN(run) {
    UNUSED, (void)host_error;
    curfew_task_info info = {.struct_size = 0};
    note("task_info of 0", api->task_info(api, task, &info));
    info.struct_size = 5;
    note("task_info of 5", api->task_info(api, task, &info));
    const uint32_t sizes[] = {0, 7, 41, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        const curfew_value value = {
            .struct_size = sizes[i], .type = CURFEW_TYPE_TEXT, .text = "x", .text_bytes = 1};
        note("raise", api->raise(api, task, "violation_said", &value, 1));
    }
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED_ENTRY(
    note("register of 0", register_sized(api, 0, NULL));
    note("register of 3", register_sized(api, 3, NULL));
    note("register of 4 GiB", register_sized(api, UINT32_MAX, NULL));
    return register_sized(api, sizeof(curfew_handler), host_error);)
