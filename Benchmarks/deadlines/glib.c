/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GLib: a timeout source is destroyed, and another one created and attached; a source that was
 * destroyed cannot be attached again. Any thread may do so. The clock is read for each.
 */
#include <glib.h>

#include "deadlines.h"

static GSource *sources[ARMED + IN_FLIGHT];
static int fired;

static gboolean on_timeout(gpointer data) {
    (void)data;
    fired++;
    return G_SOURCE_REMOVE;
}

static GSource *arm(GMainContext *context) {
    GSource *source = g_timeout_source_new(BUDGET_NS / 1000000);
    g_source_set_callback(source, on_timeout, NULL, NULL);
    g_source_attach(source, context);
    return source;
}

static void cancel(GSource *source) {
    g_source_destroy(source);
    g_source_unref(source);
}

int main(void) {
    GMainContext *context = g_main_context_new();
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) sources[i] = arm(context);

    const uint64_t started = now_ns();
    for (int i = 0; i < SLOW_PAIRS; i++) {
        GSource **source = &sources[ARMED + i % IN_FLIGHT];
        cancel(*source);
        *source = arm(context);
    }
    const uint64_t ended = now_ns();

    g_main_context_iteration(context, FALSE);
    for (int i = 0; i < ARMED + IN_FLIGHT; i++) {
        if (g_source_is_destroyed(sources[i])) fail("glib: %d is not armed", i);
        cancel(sources[i]);
    }
    if (fired != 0) fail("glib: %d sources fired", fired);
    g_main_context_unref(context);
    print_ns_per_pair(started, ended, SLOW_PAIRS);
    return 0;
}
