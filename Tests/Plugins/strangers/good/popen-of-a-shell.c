/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reads what a shell prints with popen(3), and closes it, which waits for the shell. What it
 * read is the result.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    FILE *stream = popen("echo $((6 * 7)) </dev/null", "re");
    if (stream == NULL) {
        snprintf(host_error->message, sizeof host_error->message, "popen: %s", strerror(errno));
        return CURFEW_SYSTEM;
    }
    char line[32] = "";
    bool has_line = fgets(line, sizeof line, stream) != NULL;
    int status = pclose(stream);
    if (!has_line || status != 0) return failed(host_error, "the shell said nothing");
    line[strcspn(line, "\n")] = 0;
    curfew_status answer = api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT(line));
    return answer == CURFEW_OK || answer == CURFEW_LATE ? CURFEW_OK
                                                        : failed(host_error, "the result was lost");
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
                                      : work(api, task, host_error);
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
