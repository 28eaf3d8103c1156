/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Embeds Curfew in a GLib main loop: two hosts at once, whose events come on the one thread that
 * this program has, between those of its own sources.
 *
 *     gcc embedder.c $(pkg-config --cflags --libs curfew glib-2.0) -o embedder
 *     embedder PLUGINS TEST_PLUGINS SCRATCH
 *
 * What it does, and what it prints, is told in ../README.md.
 */
#include <curfew/curfew.h>
#include <glib-unix.h>
#include <glib.h>
#include <string.h>

enum { TASKS = 5, LIMIT_S = 60, TICK_MS = 5 };

/* What was heard of one task. */
typedef struct job {
    const char *plugin;
    curfew_task task;
    double progress;
    gboolean expired, done, success;
    char *text;
} job;

typedef struct embedder {
    const char *name;
    curfew_host *host;
    guint source; /* of its events, in the main loop */
    job jobs[TASKS];
    unsigned launched, done;
} embedder;

static embedder one = {.name = "one"}, two = {.name = "two"};
static GMainLoop *loop;
static GThread *thread; /* the one that everything has to happen on */
static const char *scratch;
static unsigned ticks, ticks_while_tasks_ran;

static void check(const char *call, curfew_status status, const curfew_error *error) {
    if (status != CURFEW_OK)
        g_error("%s: %s; %s", call, curfew_status_text(status), error ? error->message : "");
}

static curfew_error error = {.struct_size = sizeof error};

#define CHECK(call) check(#call, (call), &error)

/* --- Telling ----------------------------------------------------------------------------------- */

static void tell(embedder *self, job *of) {
    g_print("%s: %s: ", self->name, of->plugin);
    if (of->progress > 0) g_print("progress to %g, ", of->progress);
    if (of->expired) g_print("expired, ");
    g_print("done(%s, \"%s\")", of->success ? "true" : "false", of->text);
    char result[256];
    uint64_t bytes = 0;
    CHECK(curfew_host_read_task_result(self->host, of->task, result, sizeof result, &bytes, NULL));
    if (g_strstr_len(result, (gssize)bytes, "copied") != NULL)
        g_print(", %.*s", (int)bytes, result);
    g_print("\n");
    CHECK(curfew_host_release_task(self->host, of->task, NULL));
}

static job *find(embedder *self, curfew_task task) {
    for (unsigned at = 0; at < self->launched; at++)
        if (self->jobs[at].task == task) return &self->jobs[at];
    return NULL;
}

/* --- Events ------------------------------------------------------------------------------------ */

static void hear(void *event_data, const curfew_event *event) {
    embedder *self = event_data;
    job *of = event->task == 0 ? NULL : find(self, event->task);
    g_assert(g_thread_self() == thread);
    if (of == NULL) return;
    if (g_str_has_suffix(event->selector, "_progress::")) {
        of->progress = MAX(of->progress, event->values[0].number);
    } else if (g_str_has_suffix(event->selector, "_expired")) {
        of->expired = TRUE;
    } else if (g_str_has_suffix(event->selector, "_done::")) {
        of->success = event->values[0].integer != 0;
        of->text = g_strdup(event->values[1].text);
        of->done = TRUE;
        self->done++;
        if (one.done == one.launched && two.done == two.launched) g_main_loop_quit(loop);
    }
}

/* The source of a host: events wait. */
static gboolean turn(gint fd, GIOCondition condition, gpointer user_data) {
    embedder *self = user_data;
    (void)fd, (void)condition;
    /* A few at a time, so that other sources have their turn; the descriptor stays readable. */
    CHECK(curfew_host_dispatch(self->host, 16, NULL, NULL));
    return G_SOURCE_CONTINUE;
}

/* A source of this program's own goes on meanwhile. */
static gboolean tick(gpointer user_data) {
    (void)user_data;
    g_assert(g_thread_self() == thread);
    ticks++;
    return G_SOURCE_CONTINUE;
}

static gboolean give_up(gpointer user_data) {
    (void)user_data;
    g_error("the tasks were not over after %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

/* --- What is done ------------------------------------------------------------------------------ */

static void launch(embedder *self, const char *plugin, const char *identifier,
                   const char *payload) {
    job *of = &self->jobs[self->launched++];
    const curfew_launch_options options = {.struct_size = sizeof options,
                                           .keep = true,
                                           .payload = payload,
                                           .payload_bytes = strlen(payload)};
    of->plugin = plugin;
    /* Events come in the loop only, so that the id is known before the first one. */
    CHECK(curfew_host_launch(self->host, identifier, &options, &of->task, &error));
}

static void launch_mirror(embedder *self) {
    g_autofree char *payload = g_strdup_printf("{\"from\": \"%s/%s/from\", \"to\": \"%s/%s/to\"}",
                                               scratch, self->name, scratch, self->name);
    launch(self, "mirror", "org.curfew.mirror", payload);
}

static void refuses(embedder *self, const char *name, const char *identifier) {
    const curfew_status status = curfew_host_launch(self->host, identifier, NULL, NULL, NULL);
    g_print("%s: %s: %s\n", self->name, name, curfew_status_text(status));
}

static void load(embedder *self, const char *directory, const char *plugin) {
    g_autofree char *path = g_build_filename(directory, plugin, NULL);
    CHECK(curfew_host_load_plugin(self->host, path, &error));
}

static void create(embedder *self, const char *plugins, const char *test_plugins) {
    const curfew_host_config config = {.struct_size = sizeof config, .manual_dispatch = true};
    CHECK(curfew_host_create(&config, &self->host, &error));
    CHECK(curfew_host_observe(self->host, NULL, hear, self, NULL, &error));
    self->source = g_unix_fd_add(curfew_host_get_event_fd(self->host), G_IO_IN, turn, self);
    load(self, plugins, "sqlite-care");
    load(self, plugins, "mirror");
    load(self, test_plugins, "patient");
    g_print("%s: loaded sqlite-care, mirror, patient\n", self->name);
    refuses(self, "nobody", "org.example.nobody");
}

static void launch_all(embedder *self) {
    g_autofree char *payload =
        g_strdup_printf("{\"database\": \"%s/%s/notes.db\"}", scratch, self->name);
    launch(self, "sqlite-care", "org.curfew.sqlite-care", payload);
    launch_mirror(self);
    launch(self, "mirror", "org.curfew.mirror", "{\"from\": \"here\", \"to\": \"/there\"}");
    launch(self, "patient", "org.curfew.test.patient", "");
}

static void shut_down(embedder *self) {
    CHECK(curfew_host_shutdown(self->host, NULL, &error));
    /* The descriptor is the host's: the source goes first. */
    g_source_remove(self->source);
    g_print("%s: shut down after %u done events\n", self->name, self->done);
}

static void destroy(embedder *self) {
    CHECK(curfew_host_destroy(self->host, NULL, &error));
    for (unsigned at = 0; at < self->launched; at++) g_free(self->jobs[at].text);
}

int main(int count, char **arguments) {
    if (count != 4) {
        g_printerr("usage: embedder PLUGINS TEST_PLUGINS SCRATCH\n");
        return 2;
    }
    scratch = arguments[3];
    thread = g_thread_self();
    loop = g_main_loop_new(NULL, FALSE);
    g_timeout_add(TICK_MS, tick, NULL);
    g_timeout_add_seconds(LIMIT_S, give_up, NULL);

    create(&one, arguments[1], arguments[2]);
    create(&two, arguments[1], arguments[2]);
    launch_all(&one);
    launch_all(&two);
    g_main_loop_run(loop);
    ticks_while_tasks_ran = ticks;
    for (unsigned at = 0; at < one.launched; at++) tell(&one, &one.jobs[at]);
    for (unsigned at = 0; at < two.launched; at++) tell(&two, &two.jobs[at]);

    shut_down(&two);
    refuses(&two, "mirror", "org.curfew.mirror");
    launch_mirror(&one);
    g_main_loop_run(loop);
    tell(&one, &one.jobs[one.launched - 1]);
    shut_down(&one);
    destroy(&two);
    destroy(&one);
    g_main_loop_unref(loop);

    /* `patient` takes 50 ms, which is time for ten ticks; three show that the loop did turn. */
    g_print("%s\n", ticks_while_tasks_ran >= 3 ? "ticked meanwhile" : "did not tick");
    return 0;
}
