/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0861
 *
 * It registers a handler for the exit that reads its statistics, which the retirement has freed.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

struct statistics {
    int tasks;
};

static struct statistics *volatile statistics;
static volatile int total;
static int registered;

static void report(void) {
    total = statistics->tasks;
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(host_error, "the task is not known");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(host_error, "told to stop");
    }
    if (payload_is(&info, "fail")) {
        return failed(host_error, "asked to fail");
    }
    return CURFEW_OK;
}

static void retire(void *plugin_data) {
    (void)plugin_data;
    free(statistics);
    statistics = NULL;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    if (statistics == NULL) statistics = calloc(1, sizeof *statistics);
    if (statistics == NULL) return failed(host_error, "no memory");
    if (!registered) {
        registered = 1;
        atexit(report);
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    host_info->retire = retire;
    return status;
}
