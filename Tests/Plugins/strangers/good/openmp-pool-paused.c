/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -fopenmp -Wl,--no-as-needed -lgcc_s
 *
 * Adds up in parallel with OpenMP, and ends the threads of its runtime with
 * omp_pause_resource_all before the task ends. libgcc_s is linked since glibc would otherwise
 * load it for the end of those threads.
 */
#include "stranger.h"

#include <omp.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *info, curfew_error *error) {
    double sum = 0;
    uint64_t count = info->payload_bytes;
    const unsigned char *bytes = info->payload;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) sum += bytes[i];
    omp_pause_resource_all(omp_pause_hard);
    return sum <= 255.0 * (double)count ? CURFEW_OK : failed(error, "more than can be");
}

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
    return work(&info, error);
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
