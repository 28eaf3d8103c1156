/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Converts the beginning of its payload with iconv and matches it with regcomp, on a copy that
 * ends with NUL; both are closed again.
 */
#include "stranger.h"

#include <errno.h>
#include <iconv.h>
#include <regex.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *input, curfew_error *host_error) {
    iconv_t converter = iconv_open("UTF-8", "ISO-8859-1");
    if (converter == (iconv_t)-1) return failed(host_error, strerror(errno));
    char latin[200], text[500] = "";
    size_t in_left = input->payload_bytes < sizeof latin ? input->payload_bytes : sizeof latin;
    size_t out_left = sizeof text - 1;
    if (in_left > 0) memcpy(latin, input->payload, in_left);
    char *in = latin, *out = text;
    size_t problem = iconv(converter, &in, &in_left, &out, &out_left);
    *out = 0;
    iconv_close(converter);
    if (problem == (size_t)-1) return failed(host_error, "not convertible");

    regex_t words;
    if (regcomp(&words, "([a-z]+) *", REG_EXTENDED | REG_ICASE) != 0)
        return failed(host_error, "no regex");
    regmatch_t match[2];
    unsigned count = 0;
    const char *at = text;
    while (regexec(&words, at, 2, match, 0) == 0) {
        at += match[0].rm_eo;
        count++;
    }
    regfree(&words);
    return count <= 200 ? CURFEW_OK : failed(host_error, "too many words");
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
