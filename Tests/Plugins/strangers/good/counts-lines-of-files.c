/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reads the file whose path is the payload, if that is a regular file, asks is_expired for
 * every block, and reports progress; /dev/zero is read until it is told to stop.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

CURFEW_PLUGIN_NOTE();

static curfew_status count(const curfew_host_api *api, curfew_task task, const char *path,
                           curfew_error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0) {
        int reason = errno;
        if (fd >= 0) close(fd);
        snprintf(error->message, sizeof error->message, "could not open the file: %s",
                 strerror(reason));
        return CURFEW_SYSTEM;
    }
    curfew_status status = CURFEW_OK;
    unsigned long lines = 0;
    off_t done = 0;
    if (!S_ISREG(file.st_mode) && strcmp(path, "/dev/zero") != 0)
        status = failed(error, "this is no regular file");
    while (status == CURFEW_OK) {
        char block[16384];
        ssize_t bytes = read(fd, block, sizeof block);
        if (bytes < 0) status = failed(error, strerror(errno));
        if (bytes <= 0) break;
        for (ssize_t i = 0; i < bytes; i++) lines += block[i] == '\n';
        done += bytes;
        if (file.st_size > 0 && done <= file.st_size)
            api->progress(api, task, (double)done / (double)file.st_size, NULL, 0);
        if (api->is_expired(api, task)) status = failed(error, "told to stop while reading");
    }
    close(fd);
    if (status != CURFEW_OK) return status;
    char text[32];
    snprintf(text, sizeof text, "%lu", lines);
    api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT(text));
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    char path[1024];
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (info.payload_bytes == 0) return failed(error, "the payload must be a path");
    if (info.payload_bytes >= sizeof path) return failed(error, "the path is too long");
    if (memchr(info.payload, 0, info.payload_bytes) != NULL)
        return failed(error, "the path has a NUL");
    memcpy(path, info.payload, info.payload_bytes);
    path[info.payload_bytes] = 0;
    return count(api, task, path, error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->abi = CURFEW_ABI_VERSION;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "com.example.lines.count", .run = run};
    return api->register_handler(api, &handler, error);
}
