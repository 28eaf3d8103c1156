/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lm
 *
 * Computes an interval with rounding downwards and upwards, and gives the worker back its
 * floating-point environment, with all flags.
 */
#include "stranger.h"

#include <fenv.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *host_error) {
    fenv_t before;
    if (fegetenv(&before) != 0) return failed(host_error, "no environment");
    volatile double three = 3, low, high;
    fesetround(FE_DOWNWARD);
    low = 1 / three;
    fesetround(FE_UPWARD);
    high = 1 / three;
    fesetenv(&before);
    return low < high ? CURFEW_OK : failed(host_error, "the interval is empty");
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
                                      : work(host_error);
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
