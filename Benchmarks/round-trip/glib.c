/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round trip through GLib: a GThreadPool of one thread of its own, and a GAsyncQueue by which the
 * task comes back; a GMutex and a GCond in its place take as long. No deadline.
 *
 *     round-trip/glib busy | rested
 */
#include <glib.h>

#include "round-trips.h"

struct launcher {
    GAsyncQueue *over;
    int calls;
};

static void empty(gpointer task, gpointer unused) {
    struct launcher *launcher = task;
    (void)unused;
    launcher->calls++;
    g_async_queue_push(launcher->over, task);
}

int main(int count, char **arguments) {
    struct round_trips *trips =
        make_round_trips(count == 2 ? arguments[1] : "", "round-trip/glib busy | rested");
    struct launcher launcher = {.over = g_async_queue_new()};
    GError *error = NULL;
    GThreadPool *pool = g_thread_pool_new(empty, NULL, 1, TRUE, &error);
    if (error != NULL) fail("round-trip/glib: no pool: %s", error->message);

    for (int i = 0; i < trips->count; i++) {
        rest(trips);
        const uint64_t started = now_ns();
        if (!g_thread_pool_push(pool, &launcher, &error))
            fail("round-trip/glib: not pushed: %s", error->message);
        g_async_queue_pop(launcher.over);
        trips->spans_ns[i] = now_ns() - started;
        if (launcher.calls != i + 1)
            fail("round-trip/glib: %d calls after %d tasks", launcher.calls, i + 1);
    }
    g_thread_pool_free(pool, FALSE, TRUE);
    g_async_queue_unref(launcher.over);
    print_round_trips(trips);
    return 0;
}
