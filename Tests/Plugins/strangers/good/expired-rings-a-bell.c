/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Sleeps in poll without a limit, and is woken by the expiration callback through an eventfd of
 * this host, which is made in the entry and closed in retire. The callback may come before
 * poll, beside it, or after it: stale rings are thrown away.
 */
#include "stranger.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

CURFEW_PLUGIN_NOTE();

struct bell {
    int fd;
};

static void ring(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    struct bell *bell = data;
    (void)api;
    (void)task;
    (void)reason;
    eventfd_write(bell->fd, 1);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct bell *bell = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (!payload_is(&info, "slow")) return CURFEW_OK;
    while (!api->is_expired(api, task)) {
        struct pollfd waiting = {.fd = bell->fd, .events = POLLIN};
        eventfd_t rings;
        if (poll(&waiting, 1, -1) == 1) eventfd_read(bell->fd, &rings);
    }
    return failed(error, "told to stop");
}

static void retire(void *data) {
    struct bell *bell = data;
    close(bell->fd);
    free(bell);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct bell *bell = malloc(sizeof *bell);
    if (bell == NULL) return failed(error, "no memory");
    bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell->fd < 0) {
        free(bell);
        return failed(error, strerror(errno));
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = bell,
                                    .run = run,
                                    .expired = ring};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        retire(bell);
        return status;
    }
    info->plugin_data = bell;
    info->retire = retire;
    return CURFEW_OK;
}
