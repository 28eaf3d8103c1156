/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lateness of GLib's timeout sources, one for each span, in a main context that has its own thread.
 *
 *     glib running | pending
 *
 * A timeout source counts in milliseconds; a span is rounded up to the next one.
 *
 * running: two spans at a time, as Curfew has two tasks at a time, each begun by the end of the one
 * before, beside two threads that burn CPU.
 * pending: all deadlines are armed before the first is due, in a process that does nothing else.
 */
#include <glib.h>
#include <unistd.h>

#include "burners.h"
#include "lateness.h"

enum { AT_A_TIME = 2 };

static uint64_t spans[SPANS_MAX], deadlines[SPANS_MAX];
static int64_t lateness[SPANS_MAX];
static GMainContext *context;
static int spans_count, begun, over;

static void begin(int number);

static gboolean fired(gpointer data) {
    const uint64_t now = now_ns();
    const int number = GPOINTER_TO_INT(data);
    lateness[number] = (int64_t)(now - deadlines[number]);
    over++;
    if (begun < spans_count) begin(begun++);
    return G_SOURCE_REMOVE;
}

static void begin(int number) {
    deadlines[number] = now_ns() + spans[number];
    GSource *source = g_timeout_source_new((guint)((spans[number] + 999999) / 1000000));
    g_source_set_priority(source, G_PRIORITY_HIGH);
    g_source_set_callback(source, fired, GINT_TO_POINTER(number), NULL);
    g_source_attach(source, context);
    g_source_unref(source);
}

static void *turn(void *unused) {
    const bool is_chain = spans_count == RUNNING;
    const uint64_t started = now_ns();
    while (begun < (is_chain ? AT_A_TIME : spans_count)) begin(begun++);
    if (!is_chain && now_ns() > started + PENDING_FIRST_NS) fail("armed too late");
    while (over < spans_count) g_main_context_iteration(context, TRUE);
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: glib running | pending");
    alarm(60);
    spans_count = make_spans(argv[1], spans);
    context = g_main_context_new();
    static struct burners burners;
    start_burners(&burners, spans_count == RUNNING);
    pthread_t turner;
    if (pthread_create(&turner, NULL, turn, NULL) != 0) fail("glib: no thread");
    pthread_join(turner, NULL);
    stop_burners(&burners);
    print_lateness(lateness, spans_count);
    return 0;
}
