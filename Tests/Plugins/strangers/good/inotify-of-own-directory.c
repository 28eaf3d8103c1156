/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a temporary directory, watches it with inotify while it makes and removes a file there,
 * and removes it.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

CURFEW_PLUGIN_NOTE();

static int watch(const char *directory) {
    int events = 0, fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return -1;
    if (inotify_add_watch(fd, directory, IN_CREATE | IN_DELETE) >= 0) {
        char path[600];
        snprintf(path, sizeof path, "%s/file", directory);
        int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0) {
            close(file);
            unlink(path);
        }
        struct pollfd waiting = {fd, POLLIN, 0};
        char buffer[4096] __attribute__((aligned(8)));
        while (events < 2 && poll(&waiting, 1, 100) > 0) {
            ssize_t count = read(fd, buffer, sizeof buffer);
            for (ssize_t at = 0; at < count; events++)
                at += (ssize_t)sizeof(struct inotify_event) +
                      ((struct inotify_event *)(buffer + at))->len;
        }
    }
    close(fd);
    return events;
}

static curfew_status work(curfew_error *error) {
    char directory[512];
    const char *parent = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/watched-XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(directory) == NULL) return failed(error, strerror(errno));
    int events = watch(directory);
    rmdir(directory);
    return events >= 2 ? CURFEW_OK : failed(error, "nothing was seen in the directory");
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
