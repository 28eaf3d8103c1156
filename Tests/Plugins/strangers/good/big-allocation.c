/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Takes 64 MiB with calloc for each task, touches a part of it, and frees it on every way out.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *error) {
    const size_t size = (size_t)64 << 20;
    unsigned char *sieve = calloc(size, 1);
    if (sieve == NULL) return failed(error, "no 64 MiB");
    unsigned primes = 0;
    for (size_t i = 2; i < 60000; i++) {
        if (sieve[i]) continue;
        primes++;
        for (size_t j = i * i; j < 60000; j += i) sieve[j] = 1;
        if (api->is_expired(api, task)) {
            free(sieve);
            return failed(error, "told to stop among the primes");
        }
    }
    free(sieve);
    return primes == 6057 ? CURFEW_OK : failed(error, "miscounted");
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
    return work(api, task, error);
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
