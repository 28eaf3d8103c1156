/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a host, where this program has one inside. An app has; a plugin has not, and gets
 * its table from the host that loads it. */
#ifndef CAPPHOST_H
#define CAPPHOST_H

#include "curfew/ext/requests.h"
#include "curfew/curfew.h"

/* The functions of a host that an app needs, each as it is declared in curfew/. */
typedef struct capphost_functions {
    curfew_status (*create)(const curfew_host_config *config, curfew_host **out_host,
                            curfew_error *error);
    curfew_status (*shutdown)(curfew_host *host, const curfew_shutdown_options *options,
                             curfew_error *error);
    curfew_status (*add_handler)(curfew_host *host, const curfew_handler *handler,
                                 const curfew_handler_options *options, curfew_error *error);
    curfew_status (*submit)(curfew_host *host, const char *identifier,
                            const curfew_submit_options *options, curfew_request *out_request,
                            curfew_submission *out_submission, curfew_error *error);
    curfew_status (*cancel)(curfew_host *host, const char *identifier, uint32_t *out_count,
                            curfew_error *error);
    curfew_status (*list)(curfew_host *host, const curfew_request_filter *filter,
                          curfew_request_state *states, uint32_t capacity, uint32_t *out_count,
                          curfew_error *error);
    curfew_status (*payload)(curfew_host *host, curfew_request request, void *buffer,
                             uint64_t capacity_bytes, uint64_t *out_bytes, curfew_error *error);
    curfew_status (*explain)(curfew_host *host, const char *identifier,
                             const curfew_submit_options *options, curfew_factor_report *reports,
                             uint32_t capacity, uint32_t *out_count, int64_t *out_earliest_ns,
                             curfew_error *error);
    curfew_status (*simulate_launch)(curfew_host *host, const char *identifier,
                                     curfew_request *out_request, curfew_error *error);
    curfew_status (*simulate_expiration)(curfew_host *host, const char *identifier,
                                         curfew_error *error);
    curfew_status (*stop)(curfew_host *host, curfew_task task, curfew_reason reason,
                          curfew_error *error);
    curfew_status (*factor)(curfew_host *host, curfew_factor factor, curfew_factor_report *report,
                            curfew_error *error);
    curfew_status (*override_factor)(curfew_host *host, curfew_factor factor,
                                     curfew_factor_value value, const char *detail,
                                     curfew_error *error);
    curfew_status (*set_setting)(curfew_host *host, const char *plugin, const char *identifier,
                                 curfew_refresh refresh, curfew_enablement enablement,
                                 curfew_error *error);
    curfew_status (*report_usage)(curfew_host *host, curfew_error *error);
    curfew_status (*observe)(curfew_host *host, const char *selector,
                             curfew_event_function function, void *event_data,
                             curfew_subscription *out_subscription, curfew_error *error);
    int64_t (*wall)(curfew_host *host);
} capphost_functions;

/* Returns them, or NULL where there is no host in this program. Static. */
const capphost_functions *capphost_inside(void);

/* Writes to stderr, and ends the process with SIGABRT. */
_Noreturn void capphost_abort(const char *text, uint64_t text_bytes);

/* Returns the kernel's number of the calling thread. */
int32_t capphost_thread_number(void);

/* Registers a function for the end of the process, as atexit(3). */
int capphost_at_exit(void (*function)(void));

#endif /* CAPPHOST_H */
