/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Waits with epoll for two eventfds that a thread writes to; all three descriptors are closed
 * on every way out.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

CURFEW_PLUGIN_NOTE();

static void *ring_both(void *argument) {
    const int *bells = argument;
    eventfd_write(bells[0], 1);
    pause_ms(1);
    eventfd_write(bells[1], 1);
    return NULL;
}

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    int bells[2] = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
    int poller = epoll_create1(EPOLL_CLOEXEC), seen = 0;
    pthread_t thread;
    bool ready = bells[0] >= 0 && bells[1] >= 0 && poller >= 0;
    for (int i = 0; i < 2 && ready; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = bells[i]};
        ready = epoll_ctl(poller, EPOLL_CTL_ADD, bells[i], &event) == 0;
    }
    if (ready && pthread_create(&thread, NULL, ring_both, bells) == 0) {
        while (seen < 2 && !api->is_expired(api, task)) {
            struct epoll_event event;
            eventfd_t value;
            if (epoll_wait(poller, &event, 1, 20) == 1 && eventfd_read(event.data.fd, &value) == 0)
                seen++;
        }
        pthread_join(thread, NULL);
    }
    if (poller >= 0) close(poller);
    for (int i = 0; i < 2; i++)
        if (bells[i] >= 0) close(bells[i]);
    return seen == 2 ? CURFEW_OK : failed(host_error, "the bells did not ring");
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
