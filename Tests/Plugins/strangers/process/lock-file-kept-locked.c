/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0856
 *
 * Locks a file for each host and keeps it open and locked when it is retired.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/file.h>

CURFEW_PLUGIN_NOTE();

static int lock_file(void) {
    const char *where = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/stranger.lock", where ? where : "/tmp");
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        flock(fd, LOCK_EX | LOCK_NB);
        unlink(path);
    }
    return fd;
}

static curfew_status run(void *lock, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (lock == NULL || api->task_info(api, task, &info)) return failed(error, "not ready");
    if (payload_is(&info, "fail")) return failed(error, "failed");
    if (!payload_is(&info, "slow")) return CURFEW_OK;
    while (!api->is_expired(api, task)) pause_ms(3);
    return failed(error, "stopped");
}

static void retire(void *lock) { free(lock); }

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    int *lock = malloc(sizeof *lock);
    if (lock == NULL) return failed(error, "no memory for the lock");
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = lock,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(lock);
        return status;
    }
    *lock = lock_file();
    info->plugin_data = lock;
    info->retire = retire;
    return CURFEW_OK;
}
