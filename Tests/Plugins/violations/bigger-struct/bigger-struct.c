/* SPDX-License-Identifier: Apache-2.0 */
/* Was built with headers of the future, whose structures have more members, and with those of the
 * past, which have fewer. Whatever the host does not know, or is not given, it must not touch. */
#include "../violation.h"

enum { guard_byte = 0x5A };

typedef struct big_handler {
    curfew_handler known;
    uint8_t future[64];
} big_handler;

typedef struct big_info {
    curfew_task_info known;
    uint8_t future[64];
} big_info;

typedef struct big_value {
    curfew_value known;
    uint8_t future[24];
} big_value;

typedef struct big_error {
    curfew_error known;
    uint8_t future[64];
} big_error;

static bool is_intact(const void *start, size_t from, size_t size) {
    const uint8_t *bytes = start;
    for (size_t i = from; i < size; i++)
        if (bytes[i] != guard_byte) return false;
    return true;
}

RUN(run) {
    UNUSED, (void)host_error;
    big_info info;
    memset(&info, guard_byte, sizeof info);
    info.known.struct_size = sizeof info;
    note("task_info of the future", api->task_info(api, task, &info.known));
    note("its guard", is_intact(&info, sizeof info.known, sizeof info));

    memset(&info, guard_byte, sizeof info);
    info.known.struct_size = 16;
    note("task_info of the past", api->task_info(api, task, &info.known));
    note("its guard", is_intact(&info, 16, sizeof info));

    big_value values[2];
    memset(values, guard_byte, sizeof values);
    for (int i = 0; i < 2; i++) {
        values[i].known.struct_size = sizeof values[i];
        values[i].known.type = CURFEW_TYPE_INT32;
        values[i].known.integer = 41 + i;
    }
    note("raise", api->raise(api, task, "violation_said", &values[0].known, 2));
    note("begun", 0);
    wait_for("go");
    return CURFEW_OK;
}

MISDEED_ENTRY(
    big_error error;
    memset(&error, guard_byte, sizeof error);
    error.known.struct_size = sizeof error;
    note("refused", register_as(api, "org.curfew.violation.bigger-struct", NULL, NULL, &error.known));
    note("its guard", is_intact(&error, sizeof error.known, sizeof error));

    memset(&error, guard_byte, sizeof error);
    error.known.struct_size = 16;
    note("refused", register_as(api, "org.curfew.violation.bigger-struct", NULL, NULL, &error.known));
    note("its guard", is_intact(&error, 16, sizeof error));
    note("its text", (int64_t)strlen(error.known.message));

    big_handler handler;
    memset(&handler, guard_byte, sizeof handler);
    handler.known = (curfew_handler){.struct_size = sizeof handler,
                                     .identifier = "org.curfew.violation.bigger-struct",
                                     .run = run};
    return api->register_handler(api, &handler.known, host_error);)
