/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Spawns a program with file actions and its own environment, reads its output from a pipe, and
 * waits for it with a pidfd.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static int spawn(pid_t *child, int output, bool slow) {
    static char *const echo[] = {"echo", "hello", "from", "a", "child", NULL};
    static char *const rest[] = {"sleep", "1000", NULL};
    static char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int fault = posix_spawn_file_actions_init(&actions);
    if (fault != 0) return fault;
    fault = posix_spawnattr_init(&attributes);
    if (fault != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return fault;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTERM);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    fault = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (fault == 0) fault = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (fault == 0) fault = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (fault == 0)
        fault = posix_spawn(child, slow ? "/bin/sleep" : "/bin/echo", &actions, &attributes,
                            slow ? rest : echo, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return fault;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0) return failed(error, "no pipe");
    const int fault = spawn(&child, ends[1], slow);
    close(ends[1]);
    if (fault != 0) {
        close(ends[0]);
        snprintf(error->message, sizeof error->message, "could not start a program: error %d", fault);
        return CURFEW_FAILED;
    }
    char output[256];
    size_t filled = 0;
    bool killed = false;
    for (;;) {
        struct pollfd one = {.fd = ends[0], .events = POLLIN};
        if (poll(&one, 1, 20) > 0) {
            const ssize_t count = read(ends[0], output + filled, sizeof output - filled);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            filled += (size_t)count;
            if (filled == sizeof output) break;
        }
        if (!killed && api->is_expired(api, task)) {
            kill(child, SIGKILL);
            killed = true;
        }
    }
    close(ends[0]);
    const int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    if (pidfd >= 0) {
        struct pollfd one = {.fd = pidfd, .events = POLLIN};
        while (poll(&one, 1, 20) == 0)
            if (!killed && api->is_expired(api, task)) {
                kill(child, SIGKILL);
                killed = true;
            }
        close(pidfd);
    }
    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (killed) return failed(error, "told to stop");
    if (ended == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return failed(error, "the program failed");
    const curfew_status answer = api->complete(api, task, CURFEW_OK, NULL, 0, output, filled);
    if (answer == CURFEW_EXHAUSTED || answer == CURFEW_TOO_LARGE)
        return failed(error, "the host did not take the result");
    return CURFEW_OK;
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
