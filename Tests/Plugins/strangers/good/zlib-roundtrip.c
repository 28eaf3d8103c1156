/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Deflates a generated text in small steps with progress, and inflates it again.
 *
 * flags: -lz
 */
#include "stranger.h"

#include <zlib.h>

CURFEW_PLUGIN_NOTE();

enum { PLAIN = 200000 };

static bool deflate_all(const unsigned char *in, unsigned char *out, size_t *out_bytes) {
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    stream.next_in = (Bytef *)in;
    stream.avail_in = PLAIN;
    stream.next_out = out;
    stream.avail_out = (uInt)*out_bytes;
    const int end = deflate(&stream, Z_FINISH);
    *out_bytes = stream.total_out;
    return deflateEnd(&stream) == Z_OK && end == Z_STREAM_END;
}

static bool inflate_all(const unsigned char *in, size_t bytes, const unsigned char *expected,
                        const curfew_host_api *api, curfew_task task) {
    z_stream stream = {0};
    if (inflateInit2(&stream, -15) != Z_OK) return false;
    stream.next_in = (Bytef *)in;
    stream.avail_in = (uInt)bytes;
    unsigned char piece[8192];
    int end;
    bool same = true;
    do {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        const uLong before = stream.total_out;
        end = inflate(&stream, Z_NO_FLUSH);
        const uLong count = stream.total_out - before;
        if (before + count > PLAIN || memcmp(piece, expected + before, count) != 0) same = false;
        api->progress(api, task, same ? (double)stream.total_out / PLAIN : 1, CURFEW_TEXT("inflate"));
    } while (end == Z_OK && same);
    inflateEnd(&stream);
    return same && end == Z_STREAM_END;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    while (slow)
        if (api->is_expired(api, task)) return failed(error, "told to stop");
        else pause_ms(3);
    unsigned char *plain = malloc(PLAIN), *packed = malloc(PLAIN + 1024);
    size_t bytes = PLAIN + 1024;
    curfew_status status = CURFEW_OK;
    if (plain == NULL || packed == NULL) status = failed(error, "no memory");
    else {
        for (size_t i = 0; i < PLAIN; i++) plain[i] = (unsigned char)("curfew "[i % 7] ^ (i >> 12));
        if (!deflate_all(plain, packed, &bytes)) status = failed(error, "could not deflate");
        else if (!inflate_all(packed, bytes, plain, api, task))
            status = failed(error, "could not inflate");
    }
    free(packed);
    free(plain);
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
