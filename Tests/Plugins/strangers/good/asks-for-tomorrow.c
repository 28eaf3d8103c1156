/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Submits a request for its next run in a day, and keeps one that is pending. A host without
 * requests, or whose store is not there, is a line of the log.
 */
#include "stranger.h"

#include <curfew/ext/requests.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *host, curfew_task id,
                          const curfew_task_info *about) {
    const curfew_requests *requests = host->extension(host, CURFEW_EXT_REQUESTS);
    if (requests == NULL) {
        host->log(host, id, CURFEW_LOG_INFO, CURFEW_TEXT("this host keeps no requests"));
        return CURFEW_OK;
    }
    const curfew_submit_options tomorrow = {.struct_size = sizeof tomorrow,
                                            .after_ns = 24 * UINT64_C(3600000000000),
                                            .on_pending = CURFEW_ON_PENDING_KEEP,
                                            .payload = about->payload,
                                            .payload_bytes = about->payload_bytes};
    curfew_error problem = {.struct_size = sizeof problem};
    curfew_request number = 0;
    if (requests->submit(host, about->identifier, &tomorrow, &number, &problem) != CURFEW_OK)
        host->log(host, id, CURFEW_LOG_WARNING, CURFEW_TEXT(problem.message));
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(host, id, &about);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
