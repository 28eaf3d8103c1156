/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 *
 * Makes a GThreadPool for each task, and frees it, which waits until all is done. Idle threads,
 * which GLib would keep for a quarter of a minute, end at once.
 */
#include "stranger.h"

#include <glib.h>

CURFEW_PLUGIN_NOTE();

static void add(gpointer number, gpointer sum) {
    g_atomic_int_add((gint *)sum, GPOINTER_TO_INT(number));
}

static curfew_status work(curfew_error *error) {
    gint sum = 0;
    g_thread_pool_set_max_unused_threads(0);
    GError *problem = NULL;
    GThreadPool *pool = g_thread_pool_new(add, &sum, 2, TRUE, &problem);
    if (problem != NULL) {
        snprintf(error->message, sizeof error->message, "no pool: %s", problem->message);
        g_error_free(problem);
        if (pool != NULL) g_thread_pool_free(pool, TRUE, TRUE);
        return CURFEW_FAILED;
    }
    for (int i = 1; i <= 100; i++) g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    return sum == 5050 ? CURFEW_OK : failed(error, "a number was not added");
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
    return work(error);
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
