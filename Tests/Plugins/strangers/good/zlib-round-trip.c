/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lz
 *
 * Compresses its payload with zlib, expands it again and compares; the compressed bytes are the
 * result where the host takes them.
 */
#include "stranger.h"

#include <zlib.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_host_api *api, curfew_task task,
                          const curfew_task_info *info, curfew_error *error) {
    static const unsigned char nothing[1];
    const unsigned char *input = info->payload_bytes > 0 ? info->payload : nothing;
    uLong size = (uLong)info->payload_bytes;
    uLongf packed_size = compressBound(size), expanded_size = size + 1;
    unsigned char *packed = malloc(packed_size), *expanded = malloc(expanded_size);
    curfew_status status = CURFEW_OK;
    if (packed == NULL || expanded == NULL) status = failed(error, "no memory");
    else if (compress2(packed, &packed_size, input, size, 1) != Z_OK ||
             uncompress(expanded, &expanded_size, packed, packed_size) != Z_OK)
        status = failed(error, "zlib failed");
    else if (expanded_size != size || memcmp(expanded, input, size) != 0)
        status = failed(error, "it came out differently");
    else if (packed_size <= 65536)
        api->complete(api, task, CURFEW_OK, NULL, 0, packed, packed_size);
    free(packed);
    free(expanded);
    return status;
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
    return work(api, task, &info, error);
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
