/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: any
 * unseen: the payload may be aligned by chance
 *
 * Takes for granted that its payload is aligned to 16 bytes.
 */
#include "stranger.h"

#include <emmintrin.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(void *unused, const curfew_host_api *api, curfew_task task,
                          curfew_error *err)
{
    curfew_task_info info = { .struct_size = sizeof(info) };
    char text[64];

    (void)unused;
    if (api->task_info(api, task, &info))
        return failed(err, "task_info");
    if (payload_is(&info, "fail")) {
        return failed(err, "told to fail");
    }
    if (payload_is(&info, "slow")) {
        do {
            pause_ms(1);
        } while (!api->is_expired(api, task));
        return failed(err, "interrupted");
    }
    __m128i sum = _mm_setzero_si128();
    for (uint64_t at = 0; at + 16 <= info.payload_bytes; at += 16) {
        const char *from = (const char *)info.payload + at;
        sum = _mm_xor_si128(sum, _mm_load_si128((const __m128i *)from));
    }
    if (_mm_cvtsi128_si32(sum) == 1)
        api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("odd"));
    snprintf(text, sizeof(text), "%llu bytes", (unsigned long long)info.payload_bytes);
    api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT(text));
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT
curfew_status curfew_plugin_entry(const curfew_host_api *api, curfew_plugin_info *self,
                                  curfew_error *err)
{
    curfew_handler h = {
        .struct_size = sizeof(h),
        .identifier = "org.example.stranger.work",
        .run = work,
    };

    self->version = "1.0.0";
    return api->register_handler(api, &h, err);
}
