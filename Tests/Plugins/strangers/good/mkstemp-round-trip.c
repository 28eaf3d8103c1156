/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Writes its payload to a temporary file that is unlinked at once, reads it back and compares.
 * Every failure of the file system is the failure of the task.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *info, curfew_error *error) {
    const char *directory = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/strange-XXXXXX", directory ? directory : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return failed(error, strerror(errno));
    unlink(path);

    const char *bytes = info->payload;
    curfew_status status = CURFEW_OK;
    for (uint64_t at = 0; at < info->payload_bytes && status == CURFEW_OK;) {
        uint64_t rest = info->payload_bytes - at;
        ssize_t count = pwrite(fd, bytes + at, rest < 65536 ? rest : 65536, (off_t)at);
        if (count <= 0) status = failed(error, count < 0 ? strerror(errno) : "no room");
        else at += (uint64_t)count;
    }
    char block[4096];
    for (uint64_t at = 0; at < info->payload_bytes && status == CURFEW_OK;) {
        ssize_t count = pread(fd, block, sizeof block, (off_t)at);
        if (count <= 0 || (uint64_t)count > info->payload_bytes - at ||
            memcmp(block, bytes + at, (size_t)count) != 0)
            status = failed(error, "the file has something else");
        else at += (uint64_t)count;
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
