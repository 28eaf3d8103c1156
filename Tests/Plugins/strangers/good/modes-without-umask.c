/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Gives a temporary file exactly the mode it wants with fchmod, whatever the umask is, and
 * removes it.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *error) {
    char path[512];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/modes-XXXXXX", directory ? directory : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return failed(error, strerror(errno));
    struct stat found = {0};
    bool right = fchmod(fd, 0646) == 0 && fstat(fd, &found) == 0 && (found.st_mode & 0777) == 0646;
    unlink(path);
    close(fd);
    return right ? CURFEW_OK : failed(error, "the file has another mode");
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
