/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has a function that the compiler makes for several processors, which the loader selects with
 * a resolver.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

__attribute__((target_clones("avx2", "sse4.2", "default"), noinline)) static uint64_t
mix(const unsigned char *bytes, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += (uint64_t)bytes[i] * bytes[i];
    return sum;
}

static curfew_status work(const curfew_task_info *input, curfew_error *host_error) {
    uint64_t sum = mix(input->payload, input->payload_bytes);
    return sum <= input->payload_bytes * 65025 ? CURFEW_OK : failed(host_error, "more than can be");
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
                                      : work(&input, host_error);
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
