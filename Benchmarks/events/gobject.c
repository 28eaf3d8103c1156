/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C program would use: a GObject signal with a truth and a text, `done`, emitted TASKS times
 * by g_signal_emit to one C handler, on one thread.
 *
 * The signal is made as one that is emitted often should be: with marshallers of its own instead of
 * the generic ones, which call through libffi, with a text that is not copied (static scope), and
 * without hooks and recursion.
 */
#include <glib-object.h>

#include "../measure.h"

G_DECLARE_FINAL_TYPE(BenchTask, bench_task, BENCH, TASK, GObject)

struct _BenchTask {
    GObject parent;
};

G_DEFINE_FINAL_TYPE(BenchTask, bench_task, G_TYPE_OBJECT)

typedef void (*done_function)(gpointer task, gboolean success, const char *error, gpointer data);

static void call(GClosure *closure, gpointer marshal_data, gpointer task, gboolean success,
                 const char *error) {
    const gpointer own = ((GCClosure *)closure)->callback;
    const done_function function = (done_function)(marshal_data != NULL ? marshal_data : own);
    if (G_CCLOSURE_SWAP_DATA(closure))
        function(closure->data, success, error, task);
    else
        function(task, success, error, closure->data);
}

static void marshal_values(GClosure *closure, GValue *result, guint count, const GValue *values,
                           gpointer hint, gpointer marshal_data) {
    (void)result, (void)count, (void)hint;
    call(closure, marshal_data, g_value_peek_pointer(&values[0]), g_value_get_boolean(&values[1]),
         g_value_get_string(&values[2]));
}

static void marshal_list(GClosure *closure, GValue *result, gpointer task, va_list list,
                         gpointer marshal_data, int count, GType *types) {
    (void)result, (void)count, (void)types;
    va_list values;
    va_copy(values, list);
    const gboolean success = va_arg(values, gboolean);
    const char *error = va_arg(values, const char *);
    va_end(values);
    call(closure, marshal_data, task, success, error);
}

static guint done_signal;

static void bench_task_class_init(BenchTaskClass *class) {
    const GType type = G_TYPE_FROM_CLASS(class);
    const GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_NO_RECURSE | G_SIGNAL_NO_HOOKS;
    done_signal = g_signal_new("done", type, flags, 0, NULL, NULL, marshal_values, G_TYPE_NONE, 2,
                               G_TYPE_BOOLEAN, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
    g_signal_set_va_marshaller(done_signal, type, marshal_list);
}

static void bench_task_init(BenchTask *task) { (void)task; }

static struct {
    uint64_t delivered, failures;
} handled;

static void done(BenchTask *task, gboolean success, const char *error, gpointer unused) {
    (void)task, (void)unused;
    if (!success || *error != '\0') handled.failures++;
    handled.delivered++;
}

int main(void) {
    BenchTask *task = g_object_new(bench_task_get_type(), NULL);
    g_signal_connect(task, "done", G_CALLBACK(done), NULL);

    const uint64_t started = now_ns();
    for (int i = 0; i < TASKS; i++) g_signal_emit(task, done_signal, 0, TRUE, "");
    const uint64_t ended = now_ns();

    g_object_unref(task);
    if (handled.delivered != TASKS || handled.failures != 0)
        fail("events/gobject: %" PRIu64 " events delivered, %" PRIu64 " of failure",
             handled.delivered, handled.failures);
    printf("ns_per_event %.2f\n", (double)(ended - started) / TASKS);
    return 0;
}
