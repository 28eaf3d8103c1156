/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two handlers whose tasks note when they were entered, and when their callback was:
 * org.example.expiring burns CPU until it is told to stop, org.example.pending returns
 * CURFEW_PENDING and is completed by its callback.
 */
#include <stdatomic.h>

#include "../../plugin.h"
#include "record.h"

CURFEW_PLUGIN_NOTE();

/* Notes the clock down; NULL where there is no place for it. */
static struct expiring_record *enter(const curfew_host_api *api, curfew_task task,
                                     curfew_error *host_error) {
    const uint64_t entered = now_ns();
    struct expiring_record *record = address_in_payload(api, task);
    if (record == NULL) {
        static const char text[] = "the payload must be the address of an expiring_record";
        memcpy(host_error->message, text, sizeof text);
        return NULL;
    }
    atomic_store_explicit(&record->entered_ns, entered, memory_order_relaxed);
    return record;
}

static curfew_status burn(void *handler_data, const curfew_host_api *api, curfew_task task,
                          curfew_error *host_error) {
    (void)handler_data;
    struct expiring_record *record = enter(api, task, host_error);
    if (record == NULL) return CURFEW_INVALID;
    while (!api->is_expired(api, task) &&
           atomic_load_explicit(&record->expired_ns, memory_order_relaxed) == 0) {
    }
    return CURFEW_OK;
}

static curfew_status pend(void *handler_data, const curfew_host_api *api, curfew_task task,
                          curfew_error *host_error) {
    (void)handler_data;
    return enter(api, task, host_error) != NULL ? CURFEW_PENDING : CURFEW_INVALID;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    const uint64_t now = now_ns();
    (void)handler_data, (void)reason;
    struct expiring_record *record = address_in_payload(api, task);
    if (record == NULL) return; /* the task has failed, or will */
    atomic_store_explicit(&record->expired_ns, now, memory_order_relaxed);
    atomic_fetch_add_explicit(&record->callbacks, 1, memory_order_release);
}

static void expired_pending(void *handler_data, const curfew_host_api *api, curfew_task task,
                            curfew_reason reason) {
    expired(handler_data, api, task, reason);
    api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler burning = {.struct_size = sizeof burning,
                                    .identifier = "org.example.expiring",
                                    .run = burn,
                                    .expired = expired};
    const curfew_handler pending = {.struct_size = sizeof pending,
                                    .identifier = "org.example.pending",
                                    .run = pend,
                                    .expired = expired_pending};
    const curfew_status status = api->register_handler(api, &burning, host_error);
    return status == CURFEW_OK ? api->register_handler(api, &pending, host_error) : status;
}
