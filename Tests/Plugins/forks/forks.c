/* SPDX-License-Identifier: Apache-2.0 */
/* A well-behaved handler whose work is done by a child: it forks, waits, and completes with how the
 * child ended, `exit 4` or `signal 11`. Its payload says how the child ends: by
 * (e)xit, (a)bort, or a (w)rite to address 0. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

static void end_child(char how) {
    volatile int *volatile nowhere = NULL;
    if (how == 'e') exit(4);
    if (how == 'a') abort();
    if (how == 'w') *nowhere = 1;
    _exit(5);
}

static curfew_status forks_run(void *handler_data, const curfew_host_api *api, curfew_task task,
                               curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    api->task_info(api, task, &info);
    const char how = info.payload_bytes > 0 ? ((const char *)info.payload)[0] : 'e';
    const pid_t child = fork();
    if (child == 0) end_child(how);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return CURFEW_FAILED;
    char result[32];
    if (WIFSIGNALED(status)) snprintf(result, sizeof result, "signal %d", WTERMSIG(status));
    else snprintf(result, sizeof result, "exit %d", WEXITSTATUS(status));
    api->complete(api, task, CURFEW_OK, NULL, 0, result, strlen(result));
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.curfew.test.forks",
                                    .run = forks_run};
    return api->register_handler(api, &handler, host_error);
}
