/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts /bin/true with posix_spawn, its outputs directed to /dev/null and its signals reset,
 * and waits for it.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *err) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, most;
    char program[] = "true";
    char *arguments[] = {program, NULL};
    char *environment[] = {NULL};
    pid_t child;

    sigemptyset(&none);
    sigfillset(&most);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &most);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int problem = posix_spawn(&child, "/bin/true", &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (problem != 0)
        return failed(err, strerror(problem));

    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return failed(err, strerror(errno));
    return status == 0 ? CURFEW_OK : failed(err, "true is false");
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
