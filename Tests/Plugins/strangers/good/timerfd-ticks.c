/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Waits for five ticks of a timerfd with poll, and closes it.
 */
#include "stranger.h"

#include <errno.h>
#include <poll.h>
#include <sys/timerfd.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) return failed(host_error, strerror(errno));
    const struct itimerspec each = {{0, 1000000}, {0, 1000000}};
    timerfd_settime(timer, 0, &each, NULL);
    uint64_t ticks = 0;
    while (ticks < 5 && !api->is_expired(api, task)) {
        struct pollfd waiting = {timer, POLLIN, 0};
        uint64_t some;
        if (poll(&waiting, 1, 50) <= 0) continue;
        if (read(timer, &some, sizeof some) == sizeof some) ticks += some;
    }
    close(timer);
    return ticks >= 5 ? CURFEW_OK : failed(host_error, "stopped while ticking");
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
