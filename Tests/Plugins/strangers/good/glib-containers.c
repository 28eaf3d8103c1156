/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 *
 * Uses containers, strings and the key files of GLib, and frees them all.
 */
#include "stranger.h"

#include <glib.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *host_error) {
    GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (int i = 0; i < 100; i++)
        g_hash_table_insert(table, g_strdup_printf("key %d", i % 30), g_strdup("value"));
    guint size = g_hash_table_size(table);
    g_hash_table_unref(table);

    GKeyFile *file = g_key_file_new();
    g_key_file_set_integer(file, "group", "answer", 42);
    gchar *text = g_key_file_to_data(file, NULL, NULL);
    gchar *base64 = g_base64_encode((const guchar *)text, strlen(text));
    g_key_file_free(file);
    gboolean sound = size == 30 && strlen(base64) > 20;
    g_free(base64);
    g_free(text);
    return sound ? CURFEW_OK : failed(host_error, "a key is missing");
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
                                      : work(host_error);
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
