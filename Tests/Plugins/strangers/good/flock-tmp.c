/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Locks ranges of an anonymous temporary file with flock and with locks of the open file, and
 * punches holes in it.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    FILE *file = tmpfile();
    if (file == NULL) return failed(error, "no temporary file");
    curfew_status status = CURFEW_OK;
    const int fd = fileno(file);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 50};
    char buffer[4096];
    memset(buffer, 'q', sizeof buffer);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) status = failed(error, "no lock of the file");
    else if (fcntl(fd, F_OFD_SETLK, &range) != 0) status = failed(error, "no lock of the range");
    else if (fwrite(buffer, 1, sizeof buffer, file) != sizeof buffer || fflush(file) != 0)
        status = failed(error, "could not write");
    else {
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1024); /* where it can */
        struct stat state;
        if (fstat(fd, &state) != 0 || state.st_size != sizeof buffer)
            status = failed(error, "a wrong size");
        rewind(file);
        if (fseek(file, 2048, SEEK_SET) != 0 || fgetc(file) != 'q')
            status = failed(error, "a wrong byte");
    }
    while (slow && status == CURFEW_OK) {
        pause_ms(4);
        if (api->is_expired(api, task)) status = failed(error, "told to stop");
    }
    range.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLK, &range);
    flock(fd, LOCK_UN);
    if (fclose(file) != 0 && status == CURFEW_OK) status = failed(error, "could not close");
    return status;
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
