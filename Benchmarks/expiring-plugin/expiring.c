/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that burns CPU until it is told to stop, and notes when its callback told it. */
#include <curfew/plugin.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "record.h"

CURFEW_PLUGIN_NOTE();

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct expiring_record *record_of(const curfew_host_api *api, curfew_task task) {
    curfew_task_info info = {.struct_size = sizeof info};
    struct expiring_record *record = NULL;
    if (api->task_info(api, task, &info) == CURFEW_OK && info.payload_bytes == sizeof record)
        memcpy(&record, info.payload, sizeof record);
    return record;
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    const uint64_t entered = now_ns();
    struct expiring_record *record = record_of(api, task);
    if (record == NULL) {
        static const char text[] = "the payload must be the address of an expiring_record";
        memcpy(host_error->message, text, sizeof text);
        return CURFEW_INVALID;
    }
    atomic_store_explicit(&record->entered_ns, entered, memory_order_relaxed);
    while (!api->is_expired(api, task) &&
           atomic_load_explicit(&record->expired_ns, memory_order_relaxed) == 0) {
    }
    return CURFEW_OK;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    const uint64_t now = now_ns();
    (void)handler_data, (void)reason;
    struct expiring_record *record = record_of(api, task);
    if (record == NULL) return; /* run has failed the task, or will */
    atomic_store_explicit(&record->expired_ns, now, memory_order_relaxed);
    atomic_fetch_add_explicit(&record->callbacks, 1, memory_order_release);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.expiring",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, host_error);
}
