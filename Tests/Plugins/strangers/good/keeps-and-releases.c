/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Takes five references to its task, releases each that it got, and looks at the payload in
 * between.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *host, curfew_task id,
                          const curfew_task_info *about, curfew_error *err) {
    unsigned taken = 0;
    unsigned long sum = 0;
    const unsigned char *bytes = about->payload;
    while (taken < 5 && host->keep(host, id) == CURFEW_OK)
        taken++;
    for (uint64_t i = 0; i < about->payload_bytes; i++)
        sum += bytes[i];
    bool released = true;
    for (unsigned i = 0; i < taken; i++)
        released = host->release(host, id) == CURFEW_OK && released;
    char text[64];
    snprintf(text, sizeof text, "%u references, sum %lu", taken, sum);
    host->log(host, id, CURFEW_LOG_DEBUG, CURFEW_TEXT(text));
    return released ? CURFEW_OK : failed(err, "a reference was not released");
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
    return work(host, id, &about, err);
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
