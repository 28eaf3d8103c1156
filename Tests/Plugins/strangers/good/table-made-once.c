/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Fills a table of the CRC-32 in the first task with pthread_once; all later tasks, and other
 * hosts, read it.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t table[256];

static void fill(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value;
    }
}

static curfew_status work(const curfew_host_api *host, curfew_task id,
                          const curfew_task_info *about) {
    pthread_once(&once, fill);
    const unsigned char *p = about->payload;
    uint32_t crc = ~0u;
    for (uint64_t i = 0; i < about->payload_bytes; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
    char text[16];
    int length = snprintf(text, sizeof text, "%08x", (unsigned)~crc);
    host->complete(host, id, CURFEW_OK, NULL, 0, text, (uint64_t)length);
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(host, id, &about);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
