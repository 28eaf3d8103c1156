/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Asks for an extension of the headers and for two that no host has, and works without those
 * that are missing.
 */
#include "stranger.h"

#include <curfew/ext/thread-check.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    const curfew_thread_check *check = api->extension(api, CURFEW_EXT_THREAD_CHECK);
    const void *unknown = api->extension(api, "com.example.unheard-of/3");
    const void *later = api->extension(api, "curfew.thread-check/99");
    if (check != NULL && check->current(api) != CURFEW_THREAD_WORKER)
        return failed(host_error, "this is no worker");
    if (unknown != NULL || later != NULL)
        api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT("a host of the future"));
    return CURFEW_OK;
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(api, task, host_error);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
