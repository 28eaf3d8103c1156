/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GLib main loop with 1,000 timeouts that are due in an hour, for count.py to look at.
 */
#include <glib.h>

#include "../measure.h"

enum { WAITING = 1000 };

static gboolean due(gpointer data) {
    (void)data;
    fail("a timeout was due");
}

int main(void) {
    for (guint i = 0; i < WAITING; i++) g_timeout_add(3600000 + i, due, NULL);
    puts("ready");
    fflush(stdout);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}
