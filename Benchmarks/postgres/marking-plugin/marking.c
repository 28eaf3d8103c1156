/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that tells when it began, and does not end where it is told so. */
#include "../../plugin.h"
#include "../mark.h"

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    const uint64_t begun = now_ns();
    struct mark *mark = address_in_payload(api, task);
    if (mark == NULL) return CURFEW_INVALID;
    const bool holds = mark->holds;
    mark->begun_ns = begun;
    atomic_fetch_add(&mark->launches, 1);
    sem_post(&mark->begun);
    return holds ? CURFEW_PENDING : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    static const struct bench_handler handlers[] = {{"org.example.marking", run}};
    return register_all(api, handlers, 1, host_error);
}
