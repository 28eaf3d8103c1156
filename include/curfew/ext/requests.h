/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/ext/requests.h: extension "curfew.requests/1". A plugin's own requests: to be launched again
 * later, when the machine allows it, also after the process was killed.
 *
 *     const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
 *     curfew_submit_options later = {.struct_size = sizeof later, .earliest_ns = in_an_hour};
 *
 *     // First the next time, then the work: it comes again even if this attempt crashes.
 *     requests->submit(api, "org.example.tidy", &later, NULL, NULL);
 *
 * Requests are for handlers of the plugin itself. Dates are nanoseconds since 1970 in UTC. Inside
 * curfew_plugin_entry no handler is registered yet, and none can be submitted.
 */
#ifndef CURFEW_EXT_REQUESTS_H
#define CURFEW_EXT_REQUESTS_H

#include "../plugin.h"
#include "../requests.h"

#define CURFEW_EXT_REQUESTS "curfew.requests/1"

CURFEW_BEGIN_DECLS

typedef struct curfew_requests {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /*
     * Submits a request for a handler of this plugin, and returns once it is durable: a transaction
     * of its own, whatever becomes of the task that calls. Waits for that, about as long as the disk
     * takes to write. *out_request is its number. Returns as curfew_host_submit, and CURFEW_DENIED
     * for a handler that is not this plugin's.
     */
    curfew_status (*submit)(const curfew_host_api *api, const char *identifier,
                            const curfew_submit_options *CURFEW_NULLABLE options,
                            curfew_request *CURFEW_NULLABLE out_request,
                            curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

    /* Cancels the pending requests of a handler of this plugin. Returns CURFEW_OK, also when there
     * were none, CURFEW_DENIED, CURFEW_CLOSING or one of the CURFEW_STORE_… statuses. */
    curfew_status (*cancel)(const curfew_host_api *api, const char *identifier)
        CURFEW_TAG(any, open);

    /* Lets the request that the task is a launch of be launched again after `after_ns`, whatever the
     * task is completed with, and without using an attempt: "not now". Counts when the task is over;
     * said twice, the last one counts. Returns CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE (the
     * task is not a launch of a request, or its outcome is decided). */
    curfew_status (*snooze)(const curfew_host_api *api, curfew_task task, uint64_t after_ns)
        CURFEW_TAG(any, running);

    /* Returns the number of the request that the task is a launch of, or 0. */
    curfew_request (*request)(const curfew_host_api *api, curfew_task task)
        CURFEW_TAG(any, running);

    /* Fills up to `capacity` elements of `infos` with the pending requests of this plugin's handlers
     * whose numbers are larger than `after`, by number; *out_count tells how many. Returns CURFEW_OK,
     * CURFEW_INVALID, CURFEW_CLOSING or one of the CURFEW_STORE_… statuses. */
    curfew_status (*pending)(const curfew_host_api *api, curfew_request after,
                             curfew_request_state *infos, uint32_t capacity, uint32_t *out_count,
                             curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

    /* Copies up to `capacity_bytes` of the payload of a request for a handler of this plugin to
     * `buffer`. *out_bytes is the whole length. Returns CURFEW_OK, CURFEW_TOO_LARGE (it was cut),
     * CURFEW_NOT_FOUND, CURFEW_CLOSING or one of the CURFEW_STORE_… statuses. */
    curfew_status (*read_payload)(const curfew_host_api *api, curfew_request request,
                                  void *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                  uint64_t *CURFEW_NULLABLE out_bytes,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);
} curfew_requests;

CURFEW_END_DECLS

#endif /* CURFEW_EXT_REQUESTS_H */
