/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Watches a directory of its own with inotify while it makes and removes a file there.
 */
#include "stranger.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    char directory[] = "/tmp/f-inotify-XXXXXX";
    char path[sizeof directory + 8];
    if (mkdtemp(directory) == NULL) return failed(error, "no directory");
    snprintf(path, sizeof path, "%s/seen", directory);
    curfew_status status = CURFEW_OK;
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    const int number =
        watch < 0 ? -1 : inotify_add_watch(watch, directory, IN_CREATE | IN_DELETE | IN_ONLYDIR);
    if (number < 0) {
        status = failed(error, "no watch");
    } else {
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) status = failed(error, "no file");
        else close(file);
        unlink(path);
        unsigned seen = 0;
        _Alignas(struct inotify_event) char buffer[1024];
        while (status == CURFEW_OK && (slow || (seen & (IN_CREATE | IN_DELETE)) !=
                                                   (IN_CREATE | IN_DELETE))) {
            struct pollfd one = {.fd = watch, .events = POLLIN};
            poll(&one, 1, 20);
            const ssize_t count = read(watch, buffer, sizeof buffer);
            for (ssize_t at = 0; at < count;) {
                const struct inotify_event *event = (const void *)(buffer + at);
                seen |= event->mask;
                at += (ssize_t)(sizeof *event + event->len);
            }
            if (api->is_expired(api, task)) status = failed(error, "told to stop");
        }
        inotify_rm_watch(watch, number);
    }
    if (watch >= 0) close(watch);
    rmdir(directory);
    return status;
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
