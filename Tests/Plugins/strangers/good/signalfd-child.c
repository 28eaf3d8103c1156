/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Forks a helper that reads signals from a signalfd, sends it two, and takes its exit status.
 */
#include "stranger.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

/* In the child: only calls that are safe there. */
static void help(const sigset_t *set) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = signalfd(-1, set, SFD_CLOEXEC);
    if (fd < 0) _exit(1);
    struct signalfd_siginfo read_info;
    for (;;) {
        if (read(fd, &read_info, sizeof read_info) != (ssize_t)sizeof read_info) _exit(2);
        if (read_info.ssi_signo == SIGUSR2) _exit(42);
    }
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    /* Blocked before the fork, so that the child has them blocked from its first instruction. */
    if (pthread_sigmask(SIG_BLOCK, &set, &before) != 0) return failed(error, "no mask");
    const pid_t child = fork();
    if (child == 0) help(&set);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return failed(error, "no child");

    kill(child, SIGUSR1);
    while (slow && !api->is_expired(api, task)) pause_ms(10);
    kill(child, SIGUSR2);
    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (slow) return failed(error, "told to stop");
    if (ended == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 42))
        return failed(error, "the helper did not see the signals");
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
