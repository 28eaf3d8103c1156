/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Ignores SIGPIPE while it writes to a pipe that nobody reads, and puts the action back that
 * was there. After each run the process has the actions it had before.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t action_lock = PTHREAD_MUTEX_INITIALIZER;

static curfew_status work(curfew_error *error) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed(error, strerror(errno));
    close(ends[0]);

    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    pthread_mutex_lock(&action_lock);
    sigaction(SIGPIPE, &ignore, &before);
    ssize_t count = write(ends[1], "x", 1);
    int reason = errno;
    sigaction(SIGPIPE, &before, NULL);
    pthread_mutex_unlock(&action_lock);

    close(ends[1]);
    if (count != -1 || reason != EPIPE) return failed(error, "the pipe has a reader");
    return CURFEW_OK;
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
