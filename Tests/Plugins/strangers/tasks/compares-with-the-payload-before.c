/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0848
 *
 * Remembers where the payload of the task before was, to see whether it is the same again. It is
 * gone by then.
 */
#include "stranger.h"
#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static curfew_task_info before;
static volatile unsigned repeated;

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    pthread_mutex_lock(&lock);
    if (before.payload_bytes == info.payload_bytes && info.payload_bytes > 0) {
        const volatile char *old = before.payload, *new = info.payload;
        uint64_t same = 0;
        while (same < info.payload_bytes && old[same] == new[same]) same++;
        repeated += same == info.payload_bytes;
    }
    before = info;
    pthread_mutex_unlock(&lock);
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
