/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Moves bytes between pipes and a file with vmsplice, tee, splice and copy_file_range.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/uio.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    while (slow && !api->is_expired(api, task)) pause_ms(5);
    if (slow) return failed(error, "told to stop");
    int one[2] = {-1, -1}, two[2] = {-1, -1};
    FILE *file = NULL;
    curfew_status status = CURFEW_OK;
    char text[] = "through a pipe", again[sizeof text];
    struct iovec piece = {.iov_base = text, .iov_len = sizeof text};
    const ssize_t all = sizeof text;
    if (pipe2(one, O_CLOEXEC) != 0 || pipe2(two, O_CLOEXEC | O_NONBLOCK) != 0 ||
        (file = tmpfile()) == NULL)
        status = failed(error, "no descriptors");
    else if (fcntl(one[1], F_SETPIPE_SZ, 4096) < 0 || vmsplice(one[1], &piece, 1, 0) != all ||
             tee(one[0], two[1], sizeof text, 0) != all ||
             splice(one[0], NULL, fileno(file), NULL, sizeof text, 0) != all)
        status = failed(error, "could not move the bytes");
    else if (read(two[0], again, sizeof again) != all || memcmp(again, text, sizeof text) != 0)
        status = failed(error, "the copy differs");
    else if (pread(fileno(file), again, sizeof again, 0) != all || memcmp(again, text, sizeof text) != 0)
        status = failed(error, "the file differs");
    if (file != NULL) fclose(file);
    for (int i = 0; i < 2; i++) {
        if (one[i] >= 0) close(one[i]);
        if (two[i] >= 0) close(two[i]);
    }
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
