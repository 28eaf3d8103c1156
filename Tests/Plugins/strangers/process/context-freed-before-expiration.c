/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * level: 3
 * race: the callback has to be late
 *
 * Frees the context of a task when its function returns, while its expiration callback may still
 * use it.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

struct context {
    volatile bool stop;
    char reason[100];
};

static struct context *volatile current;

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason why) {
    (void)data, (void)api, (void)task;
    struct context *context = current;
    if (context == NULL) return;
    context->stop = true;
    pause_ms(5);
    snprintf(context->reason, sizeof context->reason, "reason %d", (int)why);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_status status = CURFEW_OK;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    struct context *context = malloc(sizeof *context);
    if (context == NULL) return failed(error, "no memory");
    context->stop = false;
    current = context;
    if (payload_is(&info, "fail")) status = failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!context->stop && !api->is_expired(api, task)) pause_ms(1);
        status = failed(error, "stopped");
    }
    current = NULL;
    free(context);
    return status;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    (void)info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, error);
}
