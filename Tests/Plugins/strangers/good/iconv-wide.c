/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Converts text from UTF-8 to UTF-16 and back with iconv, and with mbsrtowcs in a locale of its
 * own that only the call has.
 */
#include "stranger.h"

#include <iconv.h>
#include <locale.h>
#include <wchar.h>

CURFEW_PLUGIN_NOTE();

static bool convert(const char *to, const char *from, char *in, size_t in_bytes, char *out,
                    size_t *out_bytes) {
    const iconv_t way = iconv_open(to, from);
    if (way == (iconv_t)-1) return false;
    const size_t room = *out_bytes;
    const bool ok = iconv(way, &in, &in_bytes, &out, out_bytes) != (size_t)-1 && in_bytes == 0;
    *out_bytes = room - *out_bytes;
    iconv_close(way);
    return ok;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    char text[] = "Gr\xc3\xbc\xc3\x9f" "e, \xe2\x82\xac 5";
    char wide[64], again[64];
    do {
        size_t wide_bytes = sizeof wide, bytes = sizeof again;
        if (!convert("UTF-16LE", "UTF-8", text, strlen(text), wide, &wide_bytes) ||
            !convert("UTF-8", "UTF-16LE", wide, wide_bytes, again, &bytes))
            return failed(error, "could not convert");
        if (bytes != strlen(text) || memcmp(again, text, bytes) != 0)
            return failed(error, "the text changed on its way");
        if (slow) pause_ms(5);
    } while (slow && !api->is_expired(api, task));
    if (slow) return failed(error, "told to stop");

    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8 != (locale_t)0) {
        const locale_t before = uselocale(utf8);
        wchar_t letters[64];
        const char *at = text;
        mbstate_t shift = {0};
        const size_t count = mbsrtowcs(letters, &at, 64, &shift);
        uselocale(before);
        freelocale(utf8);
        if (count != 10) return failed(error, "a wrong number of letters");
    }
    return CURFEW_OK;
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
