/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * A slow task starts sleep(1) for a minute, polls it with WNOHANG, and kills and waits for it
 * when the task should stop. Only the child that it started itself is killed.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static int start(char *program, char *argument, pid_t *child) {
    char *arguments[] = {program, argument, NULL};
    char *environment[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    int problem = posix_spawn(child, program, &files, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");

    char program[] = "/bin/sleep", minute[] = "60", moment[] = "0.01";
    pid_t child;
    int problem = start(program, payload_is(&info, "slow") ? minute : moment, &child);
    if (problem != 0) return failed(error, strerror(problem));
    int status = 0;
    pid_t ended;
    bool killed = false;
    while ((ended = waitpid(child, &status, killed ? 0 : WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (!killed && api->is_expired(api, task)) {
            kill(child, SIGKILL);
            killed = true;
        } else {
            pause_ms(2);
        }
    }
    if (killed) return failed(error, "told to stop, and so was the child");
    return ended == child && status == 0 ? CURFEW_OK : failed(error, "the child did not sleep");
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    (void)info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
