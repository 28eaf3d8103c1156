/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts a program with vfork and execve, whose output goes to /dev/null, and waits for it.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    static char *const quick[] = {"true", NULL};
    static char *const rest[] = {"sleep", "1000", NULL};
    static char *const environment[] = {NULL};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return failed(error, "no /dev/null");
    const char *program = slow ? "/bin/sleep" : "/bin/true";
    char *const *words = slow ? rest : quick;
    const pid_t child = vfork();
    if (child == 0) {
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execve(program, words, environment);
        _exit(127);
    }
    close(null);
    if (child < 0) return failed(error, "no child");
    int status = 0;
    bool killed = false;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) {
            status = 0; /* the host does not keep the status of its children */
            break;
        }
        if (!killed && api->is_expired(api, task)) {
            kill(child, SIGKILL);
            killed = true;
        }
        pause_ms(2);
    }
    if (killed) return failed(error, "told to stop");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CURFEW_OK
                                                         : failed(error, "the program failed");
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
