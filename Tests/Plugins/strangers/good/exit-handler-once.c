/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Registers a handler of atexit once, in the first task, which only marks a static variable;
 * the image stays mapped, so that it can be called.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile bool is_over;

static void mark(void) {
    is_over = true;
}

static void watch(void) {
    if (atexit(mark) != 0)
        is_over = false;
}

static curfew_status work(curfew_error *err) {
    pthread_once(&once, watch);
    return is_over ? failed(err, "the process is ending") : CURFEW_OK;
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
    return work(err);
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
