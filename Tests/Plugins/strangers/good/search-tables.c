/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Keeps words in a tree and a hash table of libc that it destroys, from a table that a
 * constructor filled.
 */
#include "stranger.h"

#include <search.h>

CURFEW_PLUGIN_NOTE();

static unsigned char rank[256];

__attribute__((constructor)) static void fill(void) {
    for (int i = 0; i < 256; i++) rank[i] = (unsigned char)(i >= 'A' && i <= 'Z' ? i + 32 : i);
}

static int compare(const void *a, const void *b) {
    const unsigned char *x = a, *y = b;
    while (*x != 0 && rank[*x] == rank[*y]) x++, y++;
    return rank[*x] - rank[*y];
}

static void keep(void *nothing) { (void)nothing; }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    static char *const words[] = {"pear", "Apple", "plum", "APPLE", "fig", "Pear"};
    do {
        struct hsearch_data table = {0};
        void *root = NULL;
        if (hcreate_r(16, &table) == 0) return failed(error, "no table");
        unsigned different = 0;
        bool full = false;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            ENTRY *entry;
            char **found = tsearch(words[i], &root, compare);
            if (found == NULL || hsearch_r((ENTRY){words[i], NULL}, ENTER, &entry, &table) == 0)
                full = true;
            else different += *found == words[i];
        }
        tdestroy(root, keep);
        hdestroy_r(&table);
        if (full) return failed(error, "no memory for the words");
        if (different != 4) return failed(error, "a wrong number of words");
        if (slow) pause_ms(2);
    } while (slow && !api->is_expired(api, task));
    return slow ? failed(error, "told to stop") : CURFEW_OK;
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
