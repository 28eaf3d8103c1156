/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 *
 * Makes a GMainContext for each host in the entry and drops it in retire. A task runs a loop of
 * timeouts there; neither the default context of the process nor that of the worker is touched.
 */
#include "stranger.h"

#include <errno.h>
#include <glib.h>
#include <sys/eventfd.h>

CURFEW_PLUGIN_NOTE();

typedef struct {
    const curfew_host_api *api;
    curfew_task task;
    gboolean is_endless;
    guint ticks;
    GMainLoop *loop;
} Visit;

static gboolean on_tick(gpointer data) {
    Visit *visit = data;
    gboolean is_over = visit->api->is_expired(visit->api, visit->task);
    if (is_over || (++visit->ticks >= 3 && !visit->is_endless)) {
        g_main_loop_quit(visit->loop);
        return G_SOURCE_REMOVE;
    }
    return G_SOURCE_CONTINUE;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    GMainContext *context = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");

    Visit visit = {.api = api, .task = task, .is_endless = payload_is(&info, "slow")};
    visit.loop = g_main_loop_new(context, FALSE);
    GSource *source = g_timeout_source_new(1);
    g_source_set_callback(source, on_tick, &visit, NULL);
    g_source_attach(source, context);
    g_main_loop_run(visit.loop);
    g_source_destroy(source);
    g_source_unref(source);
    g_main_loop_unref(visit.loop);
    return visit.is_endless ? failed(error, "told to stop") : CURFEW_OK;
}

static void retire(void *data) {
    g_main_context_unref(data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    /* GLib aborts where it has no descriptor for its context. */
    int spare = eventfd(0, EFD_CLOEXEC);
    if (spare < 0) return failed(error, g_strerror(errno));
    close(spare);
    GMainContext *context = g_main_context_new();
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = context,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        g_main_context_unref(context);
        return status;
    }
    info->plugin_data = context;
    info->retire = retire;
    return CURFEW_OK;
}
