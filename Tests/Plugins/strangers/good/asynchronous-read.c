/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reads /dev/zero with aio_read and waits with aio_suspend, or cancels. The helper thread is
 * glibc's own, runs none of the plugin's code, and ends a second later.
 */
#include "stranger.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *error) {
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(error, strerror(errno));
    char block[512];
    memset(block, 1, sizeof block);
    struct aiocb request = {.aio_fildes = fd, .aio_buf = block, .aio_nbytes = sizeof block};
    request.aio_sigevent.sigev_notify = SIGEV_NONE;
    curfew_status status = CURFEW_OK;
    if (aio_read(&request) != 0) {
        status = failed(error, strerror(errno));
    } else {
        const struct aiocb *list[] = {&request};
        while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
        if (aio_return(&request) != (ssize_t)sizeof block || block[511] != 0)
            status = failed(error, "no zeros came");
    }
    close(fd);
    return status;
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
    return work(error);
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
