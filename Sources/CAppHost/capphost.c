// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "capphost.h"

#include <stdlib.h>
#include <unistd.h>

// Weak: a plugin is linked without them, and finds NULL.
#pragma weak curfew_host_create
#pragma weak curfew_host_shutdown
#pragma weak curfew_host_register_handler
#pragma weak curfew_host_submit
#pragma weak curfew_host_cancel_requests
#pragma weak curfew_host_list_requests
#pragma weak curfew_host_read_request_payload
#pragma weak curfew_host_explain_submit
#pragma weak curfew_host_simulate_launch
#pragma weak curfew_host_simulate_expiration
#pragma weak curfew_host_stop_task
#pragma weak curfew_host_get_factor
#pragma weak curfew_host_override_factor
#pragma weak curfew_host_set_setting
#pragma weak curfew_host_report_usage
#pragma weak curfew_host_observe
#pragma weak curfew_host_get_wall_ns

const capphost_functions *capphost_inside(void) {
    static const capphost_functions functions = {
        .create = curfew_host_create,
        .shutdown = curfew_host_shutdown,
        .add_handler = curfew_host_register_handler,
        .submit = curfew_host_submit,
        .cancel = curfew_host_cancel_requests,
        .list = curfew_host_list_requests,
        .payload = curfew_host_read_request_payload,
        .explain = curfew_host_explain_submit,
        .simulate_launch = curfew_host_simulate_launch,
        .simulate_expiration = curfew_host_simulate_expiration,
        .stop = curfew_host_stop_task,
        .factor = curfew_host_get_factor,
        .override_factor = curfew_host_override_factor,
        .set_setting = curfew_host_set_setting,
        .report_usage = curfew_host_report_usage,
        .observe = curfew_host_observe,
        .wall = curfew_host_get_wall_ns,
    };
    return functions.create != NULL ? &functions : NULL;
}

void capphost_abort(const char *text, uint64_t text_bytes) {
    while (text_bytes > 0) {
        ssize_t written = write(STDERR_FILENO, text, text_bytes);
        if (written <= 0) break;
        text += written;
        text_bytes -= (uint64_t)written;
    }
    abort();
}

int32_t capphost_thread_number(void) { return gettid(); }

int capphost_at_exit(void (*function)(void)) { return atexit(function); }
