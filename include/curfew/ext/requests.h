/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/ext/requests.h: extension "curfew.requests/1": submit requests for the plugin's own
 * handlers, which are launched later, when the machine allows it, also after the process has
 * crashed.
 *
 *     const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
 *     const curfew_submit_options tomorrow = {.struct_size = sizeof tomorrow,
 *                                             .after_ns = 24 * UINT64_C(3600000000000),
 *                                             .on_pending = CURFEW_ON_PENDING_KEEP,
 *                                             .payload = info.payload,
 *                                             .payload_bytes = info.payload_bytes};
 *
 *     // First the next launch, then the work: it comes also where this attempt crashes. A further
 *     // attempt finds it pending, and keeps it.
 *     requests->submit(api, "org.example.tidy", &tomorrow, NULL, host_error);
 *
 * Inside curfew_plugin_entry no handler is registered yet, and no request can be submitted. All
 * functions also return CURFEW_CLOSING and, where the store failed, one of the CURFEW_STORE_…
 * statuses.
 */
#ifndef CURFEW_EXT_REQUESTS_H
#define CURFEW_EXT_REQUESTS_H

#include "../plugin.h"
#include "../requests.h"

#define CURFEW_EXT_REQUESTS "curfew.requests/1"

CURFEW_BEGIN_DECLS

/* The functions of the extension. */
typedef struct curfew_requests {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /*
     * Submits a request for a handler of this plugin. Returns after it is durable, in about the
     * time of a write to the disk. The transaction is its own, whatever happens to the calling
     * task. *out_request is its number. Returns as curfew_host_submit, and CURFEW_DENIED for a
     * handler of another plugin.
     */
    curfew_status (*submit)(const curfew_host_api *api, const char *identifier,
                            const curfew_submit_options *CURFEW_NULLABLE options,
                            curfew_request *CURFEW_NULLABLE out_request,
                            curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

    /* Cancels the pending requests of a handler of this plugin. Returns CURFEW_OK, also where there
     * are none, CURFEW_INVALID or CURFEW_DENIED. */
    curfew_status (*cancel)(const curfew_host_api *api, const char *identifier,
                            curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

    /* Launches the request of the task again after `delay_ns`, whatever the task is completed with,
     * and without using an attempt. Takes effect when the task is over; the last call counts.
     * Returns CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE (the task has no request, or its
     * outcome is decided). */
    curfew_status (*snooze)(const curfew_host_api *api, curfew_task task, uint64_t delay_ns,
                            curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, running);

    /* Returns the number of the task's request, or 0. */
    curfew_request (*get_request)(const curfew_host_api *api, curfew_task task)
        CURFEW_TAG(any, running);

    /* Lists the pending requests of this plugin's handlers, by number, those larger than `after`.
     * *out_count is the number of elements written, at most `capacity`. Returns CURFEW_OK or
     * CURFEW_INVALID. */
    curfew_status (*list_pending)(const curfew_host_api *api, curfew_request after,
                                  curfew_request_state *out_states, uint32_t capacity,
                                  uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
        CURFEW_TAG(any, open);

    /* Copies the payload of a request for a handler of this plugin to `buffer`. *out_bytes is its
     * whole length. Returns CURFEW_OK, CURFEW_TOO_LARGE (the first `capacity_bytes` were copied) or
     * CURFEW_NOT_FOUND. */
    curfew_status (*read_payload)(const curfew_host_api *api, curfew_request request,
                                  void *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                  uint64_t *CURFEW_NULLABLE out_bytes,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

    /* Returns the date of the host's clock, which a simulation or a test may have set: the date that
     * earliest_ns and latest_ns are compared with. 0 once the host is destroyed. */
    int64_t (*get_wall_ns)(const curfew_host_api *api) CURFEW_TAG(any, any);

    /* Returns the number of the user who has submitted the task's request to another user's host, as
     * the kernel has told it, so that a handler that works for several users knows for whom; -1 where
     * that is the host's own user, or the task has no request. Older hosts do not have it: call it
     * only where struct_size is larger than its offset. */
    int64_t (*get_owner)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, running);

    /* Writes the place of the task in a trace to `buffer`, which has CURFEW_TRACE_BYTES: the value of the
     * header `traceparent` of https://www.w3.org/TR/trace-context/ and NUL. Whatever the task calls, and the
     * requests that it submits (`trace` of curfew_submit_options), go on with that trace. Returns CURFEW_OK,
     * or CURFEW_NOT_FOUND, and "", where the task has no request. Call it only where struct_size is larger
     * than its offset. */
    curfew_status (*get_trace)(const curfew_host_api *api, curfew_task task, char *buffer)
        CURFEW_TAG(any, running);
} curfew_requests;

CURFEW_END_DECLS

#endif /* CURFEW_EXT_REQUESTS_H */
