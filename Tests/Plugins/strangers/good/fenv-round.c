/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Computes an interval with both directions of rounding and puts the environment of floating
 * point back.
 *
 * flags: -lm
 */
#include "stranger.h"

#include <fenv.h>
#include <math.h>

CURFEW_PLUGIN_NOTE();

__attribute__((noinline)) static double third(volatile double one, int direction) {
    fenv_t before;
    feholdexcept(&before);
    fesetround(direction);
    volatile double result = one / 3 + sqrt(one + 1);
    fesetenv(&before);
    return result;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    do {
        const double low = third(1, FE_DOWNWARD), high = third(1, FE_UPWARD);
        if (!(low < high) || high - low > 1e-12) return failed(error, "no interval");
        if (slow) pause_ms(2);
    } while (slow && !api->is_expired(api, task));
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
