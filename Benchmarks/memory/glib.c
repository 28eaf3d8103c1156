/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GLib timeout source takes of memory: COUNT of them in the default context, due in an hour.
 * They stand in one list, which is gone through at every turn of the loop.
 *
 *     glib COUNT
 */
#include <glib.h>

#include "rollup.h"

static gboolean due(gpointer data) {
    (void)data;
    fail("a timeout was due");
}

int main(int argc, char **argv) {
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1) fail("usage: glib COUNT");
    g_timeout_add(3600000, due, NULL);
    g_main_context_iteration(NULL, FALSE);
    const struct rollup before = read_rollup();
    guint last = 0;
    for (int i = 0; i < count; i++) last = g_timeout_add(3600000, due, NULL);
    g_main_context_iteration(NULL, FALSE);
    const struct rollup after = read_rollup();
    if (g_main_context_find_source_by_id(NULL, last) == NULL || last != (guint)count + 1)
        fail("the last source is %u", last);
    print_bytes_each(&before, &after, count);
    return 0;
}
