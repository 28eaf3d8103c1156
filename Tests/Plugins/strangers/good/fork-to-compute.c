/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Lets a forked child add numbers, which sends the sum through a pipe and leaves with _exit. No
 * exec, and in the child nothing but arithmetic and write.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static void child_main(int out) {
    unsigned sum = 0;
    for (unsigned i = 1; i <= 1000; i++) sum += i;
    ssize_t count = write(out, &sum, sizeof sum);
    _exit(count == (ssize_t)sizeof sum ? 0 : 1);
}

static curfew_status work(curfew_error *host_error) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed(host_error, strerror(errno));
    pid_t child = fork();
    if (child == 0) child_main(ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return failed(host_error, "no process left");
    }
    unsigned sum = 0;
    ssize_t count;
    do count = read(ends[0], &sum, sizeof sum);
    while (count < 0 && errno == EINTR);
    close(ends[0]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return sum == 500500 ? CURFEW_OK : failed(host_error, "the child cannot add");
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(host_error);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
