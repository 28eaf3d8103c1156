/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Blocks SIGPIPE on its worker, provokes one, takes it with sigtimedwait, and restores the
 * mask. The worker is left with the mask it came with.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *err) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failed(err, strerror(errno));
    close(ends[0]);

    sigset_t pipe_only, before, waiting;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&waiting);
    int was_pending = sigismember(&waiting, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t count = write(ends[1], "x", 1);
    if (count < 0 && errno == EPIPE && !was_pending) {
        const struct timespec now = {0, 0};
        while (sigtimedwait(&pipe_only, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    return count < 0 ? CURFEW_OK : failed(err, "somebody reads the pipe");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
