/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0856
 *
 * Starts a daemon in its first task: a grandchild in a session of its own, which lives on for a
 * while.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static void start_daemon(void) {
    pid_t child = fork();
    if (child < 0) return;
    if (child > 0) {
        waitpid(child, NULL, 0);
        return;
    }
    setsid();
    if (fork() != 0) _exit(0);
    (void)!chdir("/");
    for (int fd = 0; fd < 1024; fd++) close(fd);
    open("/dev/null", O_RDWR);
    sleep(90);
    _exit(0);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    static bool started;
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(5);
        return failed(error, "told to stop");
    }
    if (!__atomic_exchange_n(&started, true, __ATOMIC_ACQ_REL)) start_daemon();
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
