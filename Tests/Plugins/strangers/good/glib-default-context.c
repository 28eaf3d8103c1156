/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 *
 * Makes the default GMainContext of the process in the entry, once: it is GLib's, is shared by
 * all that use GLib there, and cannot be freed. A task lets it run only where nobody else has
 * it.
 */
#include "stranger.h"

#include <errno.h>
#include <glib.h>
#include <sys/eventfd.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    GMainContext *context = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    gboolean is_slow = payload_is(&info, "slow");
    do {
        if (g_main_context_acquire(context)) {
            while (g_main_context_pending(context)) g_main_context_iteration(context, FALSE);
            g_main_context_release(context);
        }
        if (is_slow) g_usleep(2000);
    } while (is_slow && !api->is_expired(api, task));
    return is_slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    /* GLib aborts where it has no descriptor for its context. */
    int spare = eventfd(0, EFD_CLOEXEC);
    if (spare < 0) return failed(error, g_strerror(errno));
    close(spare);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = g_main_context_default(),
                                    .run = run};
    return api->register_handler(api, &handler, error);
}
