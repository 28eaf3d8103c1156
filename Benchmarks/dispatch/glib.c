/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch through GLib: a GThreadPool of two threads of its own.
 *
 *     dispatch/glib plain | timer
 *
 * plain: no deadline. timer: each task with a timeout source of 30 s that would tell it to stop, on
 * a context that a thread of its own turns; attached at launch, destroyed when the task ends. That
 * takes microseconds for each task, so there are fewer of them.
 *
 * A GThreadPool has no bound; flight.h holds the launcher.
 */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "flight.h"

enum { TIMER_TASKS = TASKS / 5 };

static _Atomic uint64_t expired;

static void empty(gpointer task, gpointer unused) {
    (void)task, (void)unused;
    land();
}

static gboolean expire(gpointer unused) {
    (void)unused;
    atomic_fetch_add_explicit(&expired, 1, memory_order_relaxed);
    return G_SOURCE_REMOVE;
}

static void empty_with_timer(gpointer source, gpointer unused) {
    (void)unused;
    g_source_destroy(source);
    g_source_unref(source);
    land();
}

static gpointer turn(gpointer loop) {
    g_main_loop_run(loop);
    return NULL;
}

static gpointer make_timer(GMainContext *context) {
    GSource *source = g_timeout_source_new(30000);
    g_source_set_callback(source, expire, NULL, NULL);
    g_source_attach(source, context);
    return source;
}

int main(int count, char **arguments) {
    alarm(60); /* rather than hang */
    const char *variant = count == 2 ? arguments[1] : "";
    const bool timer = strcmp(variant, "timer") == 0;
    if (!timer && strcmp(variant, "plain") != 0) fail("usage: dispatch/glib plain | timer");
    const uint64_t tasks = timer ? TIMER_TASKS : TASKS;

    GError *error = NULL;
    GThreadPool *pool = g_thread_pool_new(timer ? empty_with_timer : empty, NULL, 2, TRUE, &error);
    if (error != NULL) fail("dispatch/glib: no pool: %s", error->message);
    GMainContext *context = timer ? g_main_context_new() : NULL;
    GMainLoop *loop = timer ? g_main_loop_new(context, FALSE) : NULL;
    GThread *turner = timer ? g_thread_new("turner", turn, loop) : NULL;

    const uint64_t started = now_ns();
    for (uint64_t i = 0; i < tasks; i++) {
        wait_for_room(i);
        const gpointer task = timer ? make_timer(context) : GINT_TO_POINTER(1);
        if (!g_thread_pool_push(pool, task, &error))
            fail("dispatch/glib: not pushed: %s", error->message);
    }
    wait_until_landed(tasks);
    const uint64_t ended = now_ns();

    g_thread_pool_free(pool, FALSE, TRUE);
    if (timer) {
        g_main_loop_quit(loop);
        g_thread_join(turner);
    }
    if (flight.over != tasks || expired != 0)
        fail("dispatch/glib: %" PRIu64 " tasks over, %" PRIu64 " expired", flight.over, expired);
    printf("ns_per_task %.2f\nfull %" PRIu64 "\n", (double)(ended - started) / (double)tasks,
           flight.full);
    return 0;
}
