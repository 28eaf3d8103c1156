/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -fopenmp -Wl,--no-as-needed -lgcc_s
 *
 * Adds up in parallel with OpenMP and leaves its threads to the runtime, which ends them when
 * the worker ends: a worker does so before the plugin is retired.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *err) {
    long sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(static)
    for (int i = 1; i <= 1000; i++)
        sum += i;
    return sum == 500500 ? CURFEW_OK : failed(err, "wrong sum");
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
