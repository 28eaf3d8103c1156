/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Collects the lines of its payload in a tmpfile(3), which is gone with fclose, and counts
 * them.
 */
#include "stranger.h"

#include <errno.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *input, curfew_error *host_error) {
    FILE *file = tmpfile();
    if (file == NULL) return failed(host_error, strerror(errno));
    const char *bytes = input->payload;
    unsigned lines = 0;
    for (uint64_t i = 0; i < input->payload_bytes; i++) {
        lines += bytes[i] == '\n';
        if (putc(bytes[i], file) == EOF) break;
    }
    bool broken = fflush(file) != 0 || ferror(file);
    rewind(file);
    unsigned again = 0;
    for (int letter; !broken && (letter = getc(file)) != EOF;) again += letter == '\n';
    fclose(file);
    if (broken) return failed(host_error, "could not write the temporary file");
    return lines == again ? CURFEW_OK : failed(host_error, "the numbers of lines differ");
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
                                      : work(&input, host_error);
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
