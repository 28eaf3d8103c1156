/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Counts bytes with a hash table of hsearch_r of its own, which is destroyed, with keys in its
 * own memory.
 */
#include "stranger.h"

#include <search.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *input, curfew_error *host_error) {
    struct hsearch_data table = {0};
    char keys[256][3];
    if (hcreate_r(300, &table) == 0) return failed(host_error, "no table");
    const unsigned char *bytes = input->payload;
    uint64_t distinct = 0;
    for (uint64_t i = 0; i < input->payload_bytes && i < 20000; i++) {
        snprintf(keys[bytes[i]], sizeof keys[0], "%02x", bytes[i]);
        ENTRY wanted = {keys[bytes[i]], NULL}, *found;
        if (hsearch_r(wanted, FIND, &found, &table) == 0)
            distinct += hsearch_r(wanted, ENTER, &found, &table) != 0;
    }
    hdestroy_r(&table);
    return distinct <= 256 ? CURFEW_OK : failed(host_error, "more than all bytes");
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
