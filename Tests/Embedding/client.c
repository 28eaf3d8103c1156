/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that embeds Curfew in C, through what is installed and nothing else: the headers and
 * libcurfew.so. It makes its own inputs, runs three plugins in one host, watches every event, and
 * leaves with 0 only if all came as the headers promise.
 *
 *     client thread|epoll PLUGINS TEST_PLUGINS SCRATCH
 *
 * thread: Curfew's own thread delivers events. epoll: this program's loop does.
 */
#define _GNU_SOURCE
#include <curfew/curfew.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 3, FILES = 12, PATH_BYTES = 4096, SIGNALS = 65, LIMIT_S = 20 };
static const uint64_t LIMIT_NS = (uint64_t)LIMIT_S * 1000000000;

/* --- Saying what happens ---------------------------------------------------------------------- */

static struct timespec beginning;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - beginning.tv_sec) +
           (double)(now.tv_nsec - beginning.tv_nsec) / 1e9;
}

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    printf("%8.3f  %s\n", seconds(), line);
    fflush(stdout);
}

__attribute__((format(printf, 2, 3), noreturn))
static void fail(int line, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "client.c:%d: %s\n", line, text);
    exit(1);
}

#define CHECK(condition, ...)                              \
    do {                                                   \
        if (!(condition)) fail(__LINE__, __VA_ARGS__);     \
    } while (0)

static void check_status(int line, const char *call, curfew_status got, curfew_status wanted,
                         const curfew_error *error) {
    if (got == wanted) return;
    fail(line, "%s answered %d (%s) instead of %d (%s); %s", call, got, curfew_status_text(got),
         wanted, curfew_status_text(wanted), error->message);
}

static curfew_error error = {.struct_size = sizeof error};

#define ANSWERS(wanted, call) check_status(__LINE__, #call, (call), (wanted), &error)

/* --- Signals ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t heard;

static void hear(int number, siginfo_t *info, void *context) {
    (void)info, (void)context;
    /* Nobody raises it here: it is a real one, and returning would bring it again. */
    if (number == SIGSEGV) _exit(3);
    heard = number;
}

static struct sigaction before[SIGNALS];

static void install_handlers(void) {
    struct sigaction mine = {.sa_sigaction = hear, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&mine.sa_mask);
    CHECK(sigaction(SIGSEGV, &mine, NULL) == 0, "SIGSEGV: %s", strerror(errno));
    CHECK(sigaction(SIGUSR1, &mine, NULL) == 0, "SIGUSR1: %s", strerror(errno));
    for (int number = 1; number < SIGNALS; number++) sigaction(number, NULL, &before[number]);
}

/* All of them, not only the two: a library has no business with any. One bit tells only that the C
 * library has set the action some time, were it to what it was before. */
static void check_handlers(void) {
    const int restorer = 0x04000000;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) != 0) continue;
        CHECK(now.sa_sigaction == before[number].sa_sigaction &&
                  ((now.sa_flags ^ before[number].sa_flags) & ~restorer) == 0,
              "the action of signal %d (%s) was changed", number, strsignal(number));
    }
    CHECK(before[SIGSEGV].sa_sigaction == hear, "SIGSEGV was not ours to begin with");
    raise(SIGUSR1);
    CHECK(heard == SIGUSR1, "SIGUSR1 was raised and not heard");
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    CHECK(sigisemptyset(&blocked), "the main thread has signals blocked that it did not block");
}

/* --- Events ----------------------------------------------------------------------------------- */

/* What is expected of one plugin's task, and what was seen of it. */
typedef struct job {
    const char *plugin;     /* its directory */
    const char *identifier; /* of its handler */
    const char *event;
    char payload[3 * PATH_BYTES];
    bool succeeds;
    bool tells_progress;
    const char *error; /* of its done event */
    curfew_outcome outcome;

    curfew_task task;
    /* By the thread that turns the loop, and read after shutdown. */
    unsigned registered, refused, progress, expired, done;
    double fraction;
} job;

static job jobs[TASKS];
static uint64_t sequence;
static atomic_uint done_events;
static unsigned hello_events, direct_calls;
static curfew_host *host;

static bool text_is(const curfew_value *value, const char *text) {
    return value->type == CURFEW_TYPE_TEXT && value->text_bytes == strlen(text) &&
           strcmp(value->text, text) == 0;
}

static void note_of_job(job *of, const curfew_event *event) {
    char selector[256];
    const curfew_value *values = event->values;
    snprintf(selector, sizeof selector, "registering%s_done::", of->event);
    if (strcmp(event->selector, selector) == 0) {
        CHECK(event->count == 2 && values[0].type == CURFEW_TYPE_BOOL, "%s: parameters", selector);
        CHECK((values[0].integer != 0) == text_is(&values[1], ""), "%s(%s, \"%s\")", selector,
              values[0].integer ? "true" : "false", values[1].text);
        if (values[0].integer != 0) of->registered++;
        else of->refused++;
    }
    snprintf(selector, sizeof selector, "%s_progress::", of->event);
    if (strcmp(event->selector, selector) == 0) {
        CHECK(event->count == 2 && values[0].type == CURFEW_TYPE_DOUBLE, "%s: parameters",
              selector);
        CHECK(values[0].number >= 0 && values[0].number <= 1, "%s: %f", selector, values[0].number);
        CHECK(of->done == 0, "%s after the done event", selector);
        of->progress++;
        of->fraction = values[0].number;
    }
    snprintf(selector, sizeof selector, "%s_expired", of->event);
    if (strcmp(event->selector, selector) == 0) {
        CHECK(event->count == 0, "%s has parameters", selector);
        CHECK(of->done == 0, "%s after the done event", selector);
        of->expired++;
    }
    snprintf(selector, sizeof selector, "%s_done::", of->event);
    if (strcmp(event->selector, selector) == 0) {
        CHECK(event->count == 2 && values[0].type == CURFEW_TYPE_BOOL, "%s: parameters", selector);
        CHECK((values[0].integer != 0) == of->succeeds, "%s(%s, \"%s\")", selector,
              values[0].integer ? "true" : "false", values[1].text);
        CHECK(text_is(&values[1], of->error), "%s has the text \"%s\" instead of \"%s\"", selector,
              values[1].text, of->error);
        CHECK(event->task == of->task, "%s is about another task", selector);
        CHECK(!of->tells_progress || of->fraction == 1, "%s at %.3f", selector, of->fraction);
        of->done++;
        atomic_fetch_add(&done_events, 1);
    }
}

/* Takes every event there is. */
static void observe(void *event_data, const curfew_event *event) {
    char line[1024] = "";
    size_t length = 0;
    for (uint32_t at = 0; at < event->count && length < sizeof line; at++) {
        const curfew_value *value = &event->values[at];
        const char *comma = at == 0 ? "" : ", ";
        int added = 0;
        switch (value->type) {
        case CURFEW_TYPE_BOOL:
            added = snprintf(line + length, sizeof line - length, "%s%s", comma,
                             value->integer ? "true" : "false");
            break;
        case CURFEW_TYPE_DOUBLE:
            added = snprintf(line + length, sizeof line - length, "%s%.3f", comma, value->number);
            break;
        case CURFEW_TYPE_TEXT:
            added = snprintf(line + length, sizeof line - length, "%s\"%s\"", comma, value->text);
            break;
        default:
            added = snprintf(line + length, sizeof line - length, "%s%" PRId64, comma,
                             value->integer);
        }
        length += (size_t)added;
    }
    say("event %3" PRIu64 "  %s (%s)", event->sequence, event->selector, line);
    CHECK(event_data == jobs, "event_data is not what was given");
    CHECK(event->struct_size >= sizeof *event, "the event is shorter than the header says");
    CHECK(event->sequence == ++sequence, "event %" PRIu64 " came after %" PRIu64, event->sequence,
          sequence - 1);
    CHECK(curfew_host_get_sender(host) == event->task,
          "the sender is another task than the event's");
    for (int at = 0; at < TASKS; at++) note_of_job(&jobs[at], event);
    if (strcmp(event->selector, "client_hello:") == 0) hello_events++;
}

/* The same done event once more, as a plain C function; the sender tells whose it is. */
static void patient_done(void *event_data, bool success, const char *text) {
    (void)event_data;
    say("direct     patient_done(%s, \"%s\")", success ? "true" : "false", text);
    CHECK(!success && strcmp(text, "Background task expired.") == 0, "patient_done: parameters");
    direct_calls++;
}

static atomic_uint log_lines;
static atomic_bool refusing; /* what is loaded now is no plugin, and the log may say so */

static void take_log(void *log_data, curfew_log_level level, const char *plugin, curfew_task task,
                     const char *text, uint64_t text_bytes) {
    (void)log_data, (void)task;
    say("log %d  %s: %.*s", level, plugin == NULL ? "curfew" : plugin, (int)text_bytes, text);
    CHECK(level <= CURFEW_LOG_WARNING || refusing, "the log has an error");
    atomic_fetch_add(&log_lines, 1);
}

/* --- The two ways to turn the loop ------------------------------------------------------------ */

static void turn_own_loop(void) {
    const int fd = curfew_host_get_event_fd(host);
    CHECK(fd >= 0, "there is no descriptor to wait on");
    const int poller = epoll_create1(EPOLL_CLOEXEC);
    CHECK(poller >= 0, "epoll_create1: %s", strerror(errno));
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = fd};
    CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &interest) == 0, "epoll_ctl: %s", strerror(errno));
    unsigned rounds = 0;
    while (atomic_load(&done_events) < TASKS) {
        struct epoll_event ready;
        const int count = epoll_wait(poller, &ready, 1, LIMIT_S * 1000);
        if (count < 0 && errno == EINTR) continue;
        CHECK(count == 1, "no event came in time");
        uint32_t delivered = 0;
        ANSWERS(CURFEW_OK, curfew_host_dispatch(host, 8, &delivered, NULL));
        CHECK(delivered <= 8, "%" PRIu32 " events delivered where 8 was the limit", delivered);
        rounds++;
    }
    say("loop       turned %u times", rounds);
    close(poller);
}

static void wait_for_curfews_loop(void) {
    CHECK(curfew_host_get_event_fd(host) == -1,
          "there is a descriptor although Curfew turns the loop");
    ANSWERS(CURFEW_WRONG_STATE, curfew_host_dispatch(host, 0, NULL, NULL));
    for (int at = 0; at < TASKS; at++) {
        curfew_task_state state = {.struct_size = sizeof state};
        ANSWERS(CURFEW_OK, curfew_host_wait_task(host, jobs[at].task, LIMIT_NS, &state, NULL));
    }
}

/* --- Inputs ----------------------------------------------------------------------------------- */

static void make_database(const char *path) {
    sqlite3 *database = NULL;
    CHECK(sqlite3_open(path, &database) == SQLITE_OK, "%s: %s", path, sqlite3_errmsg(database));
    const char *script =
        "create table note(id integer primary key, text text not null);"
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)"
        " insert into note(text) select hex(randomblob(64)) from n;"
        "delete from note where id % 3 = 0;";
    CHECK(sqlite3_exec(database, script, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", path,
          sqlite3_errmsg(database));
    sqlite3_close(database);
}

static void make_files(const char *directory) {
    CHECK(mkdir(directory, 0755) == 0, "mkdir %s: %s", directory, strerror(errno));
    for (int number = 0; number < FILES; number++) {
        char path[2 * PATH_BYTES];
        snprintf(path, sizeof path, "%s/file-%02d.txt", directory, number);
        FILE *file = fopen(path, "w");
        CHECK(file != NULL, "%s: %s", path, strerror(errno));
        for (int line = 0; line < 200 * number; line++) fprintf(file, "line %d\n", line);
        CHECK(fclose(file) == 0, "%s: %s", path, strerror(errno));
    }
}

static char database[PATH_BYTES], from[PATH_BYTES], to[PATH_BYTES];

static void make_inputs(const char *scratch) {
    snprintf(database, sizeof database, "%s/notes.db", scratch);
    snprintf(from, sizeof from, "%s/from", scratch);
    snprintf(to, sizeof to, "%s/to", scratch);
    make_database(database);
    make_files(from);
    snprintf(jobs[0].payload, sizeof jobs[0].payload,
             "{\"database\": \"%s\", \"snapshot\": \"%s.copy\"}", database, database);
    snprintf(jobs[1].payload, sizeof jobs[1].payload, "{\"from\": \"%s\", \"to\": \"%s\"}", from,
             to);
}

/* The plugins did what they are for: every file has its copy. */
static void check_work(void) {
    for (int number = 0; number < FILES; number++) {
        char path[2 * PATH_BYTES];
        struct stat one, other;
        snprintf(path, sizeof path, "%s/file-%02d.txt", from, number);
        CHECK(stat(path, &one) == 0, "%s: %s", path, strerror(errno));
        snprintf(path, sizeof path, "%s/file-%02d.txt", to, number);
        CHECK(stat(path, &other) == 0, "%s: %s", path, strerror(errno));
        CHECK(one.st_size == other.st_size, "%s has another size than its original", path);
    }
}

/* --- What is done ----------------------------------------------------------------------------- */

static void load(const job *of, const char *directory) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, of->plugin);
    ANSWERS(CURFEW_OK, curfew_host_load_plugin(host, path, &error));

    /* Once is enough; what is there stays. */
    curfew_error refusal = {.struct_size = sizeof refusal};
    ANSWERS(CURFEW_EXISTS, curfew_host_load_plugin(host, path, &refusal));
    CHECK(refusal.code == CURFEW_EXISTS && refusal.message[0] != 0, "refused without a word");

    uint32_t index;
    ANSWERS(CURFEW_OK, curfew_host_find_handler(host, of->identifier, &index, NULL));
    curfew_handler_state handler = {.struct_size = sizeof handler};
    ANSWERS(CURFEW_OK, curfew_host_get_handler(host, index, &handler, NULL));
    CHECK(strcmp(handler.identifier, of->identifier) == 0, "handler %s instead of %s",
          handler.identifier, of->identifier);
    CHECK(strcmp(handler.event, of->event) == 0, "event %s instead of %s", handler.event,
          of->event);
    say("loaded     %s, for %s", path, handler.identifier);
}

/* Its handler is paused meanwhile, so that no event about the task comes before its id is noted. */
static void launch(job *of) {
    const curfew_launch_options options = {.struct_size = sizeof options,
                                           .keep = true,
                                           .payload = of->payload,
                                           .payload_bytes = strlen(of->payload)};
    ANSWERS(CURFEW_OK, curfew_host_pause_handler(host, of->identifier, NULL));
    ANSWERS(CURFEW_OK, curfew_host_launch(host, of->identifier, &options, &of->task, &error));
    CHECK(of->task != 0, "no task id for %s", of->identifier);
    say("launched   %s %s", of->identifier, of->payload);
    curfew_task_state state = {.struct_size = sizeof state};
    ANSWERS(CURFEW_OK, curfew_host_get_task(host, of->task, &state, NULL));
    CHECK(state.phase == CURFEW_TASK_PHASE_QUEUED, "%s is in phase %d", of->identifier,
          state.phase);
    ANSWERS(CURFEW_OK, curfew_host_resume_handler(host, of->identifier, NULL));
}

static void check_end(const job *of) {
    curfew_task_state state = {.struct_size = sizeof state};
    ANSWERS(CURFEW_OK, curfew_host_get_task(host, of->task, &state, NULL));
    CHECK(state.phase == CURFEW_TASK_PHASE_OVER, "%s is in phase %d", of->identifier, state.phase);
    CHECK(state.outcome == of->outcome, "%s has outcome %d", of->identifier, state.outcome);
    CHECK(state.attempt == 1, "%s: attempt %" PRIu32, of->identifier, state.attempt);
    if (of->outcome == CURFEW_OUTCOME_EXPIRED)
        CHECK(state.reason == CURFEW_REASON_BUDGET && state.answered, "%s: reason %d, answered %d",
              of->identifier, state.reason, state.answered);

    char text[4096];
    uint64_t bytes = 0;
    ANSWERS(CURFEW_OK,
            curfew_host_read_task_error(host, of->task, text, sizeof text, &bytes, NULL));
    CHECK(bytes == strlen(of->error) && memcmp(text, of->error, bytes) == 0,
          "%s has the error \"%.*s\"", of->identifier, (int)bytes, text);
    ANSWERS(CURFEW_OK,
            curfew_host_read_task_result(host, of->task, text, sizeof text, &bytes, NULL));
    say("over       %s; result: %.*s", of->identifier, (int)bytes, text);
    CHECK(bytes == state.result_bytes, "%s: two lengths of one result", of->identifier);

    ANSWERS(CURFEW_ALREADY, curfew_host_cancel_task(host, of->task, NULL));
    ANSWERS(CURFEW_OK, curfew_host_release_task(host, of->task, NULL));
}

/* An event of this program's own, taken by an expectation. In the loop of the program's own,
 * waiting for it turns the loop. */
static void raise_and_collect(void) {
    static const char word[] = "hello";
    curfew_subscription expectation;
    ANSWERS(CURFEW_OK,
            curfew_host_expect_event(host, "client_hello:", 0, word, &expectation, NULL));
    const curfew_value value = {.struct_size = sizeof value,
                                .type = CURFEW_TYPE_TEXT,
                                .text = word,
                                .text_bytes = strlen(word)};
    ANSWERS(CURFEW_OK, curfew_host_raise_event(host, "client_hello:", &value, 1, NULL));
    curfew_event *event = NULL;
    ANSWERS(CURFEW_OK, curfew_host_collect_event(host, expectation, LIMIT_NS, &event, NULL));
    CHECK(event->count == 1 && text_is(&event->values[0], word), "client_hello: parameters");
    curfew_event_free(event);
    ANSWERS(CURFEW_NOT_FOUND, curfew_host_collect_event(host, expectation, 0, &event, NULL));
}

static void check_all_was_seen(void) {
    for (int at = 0; at < TASKS; at++) {
        const job *of = &jobs[at];
        const bool expires = of->outcome == CURFEW_OUTCOME_EXPIRED;
        CHECK(of->registered == 1, "%s: registered %u times", of->identifier, of->registered);
        CHECK(of->refused <= 1, "%s: refused %u times", of->identifier, of->refused);
        CHECK(of->done == 1, "%s: %u done events", of->identifier, of->done);
        CHECK(of->expired == expires, "%s: expired %u times", of->identifier, of->expired);
        CHECK((of->progress > 0) == of->tells_progress, "%s: %u progress events", of->identifier,
              of->progress);
    }
    CHECK(direct_calls == 1, "patient_done was called %u times", direct_calls);
    CHECK(hello_events == 1, "client_hello was seen %u times", hello_events);

    curfew_counts counts = {.struct_size = sizeof counts};
    ANSWERS(CURFEW_OK, curfew_host_get_counts(host, &counts, NULL));
    CHECK(counts.launched == TASKS, "%" PRIu64 " tasks launched", counts.launched);
    CHECK(counts.ended[CURFEW_OUTCOME_SUCCEEDED] == TASKS - 1 &&
              counts.ended[CURFEW_OUTCOME_EXPIRED] == 1,
          "%" PRIu64 " succeeded, %" PRIu64 " expired", counts.ended[CURFEW_OUTCOME_SUCCEEDED],
          counts.ended[CURFEW_OUTCOME_EXPIRED]);
    CHECK(counts.events_lost == 0 && counts.contract_violations == 0 && counts.lost_workers == 0,
          "%" PRIu64 " events lost, %" PRIu64 " rules broken, %" PRIu32 " workers lost",
          counts.events_lost, counts.contract_violations, counts.lost_workers);
    CHECK(counts.events_delivered == sequence, "%" PRIu64 " events delivered, %" PRIu64 " seen",
          counts.events_delivered, sequence);
}

int main(int count, char **arguments) {
    clock_gettime(CLOCK_MONOTONIC, &beginning);
    if (count != 5 || (strcmp(arguments[1], "thread") && strcmp(arguments[1], "epoll"))) {
        fprintf(stderr, "usage: client thread|epoll PLUGINS TEST_PLUGINS SCRATCH\n");
        return 2;
    }
    const bool manual_dispatch = strcmp(arguments[1], "epoll") == 0;
    const char *plugins = arguments[2], *test_plugins = arguments[3], *scratch = arguments[4];

    CHECK(strcmp(curfew_version(), CURFEW_VERSION_STRING) == 0,
          "libcurfew is %s, the headers are %s", curfew_version(), CURFEW_VERSION_STRING);
    CHECK(curfew_abi_version() == CURFEW_ABI_VERSION, "the ABI numbers differ");
    install_handlers();

    jobs[0] = (job){.plugin = "sqlite-care",
                    .identifier = "org.curfew.sqlite-care",
                    .event = "sqlite_care",
                    .succeeds = true,
                    .tells_progress = true,
                    .error = "",
                    .outcome = CURFEW_OUTCOME_SUCCEEDED};
    jobs[1] = (job){.plugin = "mirror",
                    .identifier = "org.curfew.mirror",
                    .event = "mirror",
                    .succeeds = true,
                    .tells_progress = true,
                    .error = "",
                    .outcome = CURFEW_OUTCOME_SUCCEEDED};
    jobs[2] = (job){.plugin = "patient",
                    .identifier = "org.curfew.test.patient",
                    .event = "patient",
                    .error = "Background task expired.",
                    .outcome = CURFEW_OUTCOME_EXPIRED};
    make_inputs(scratch);

    const curfew_host_config config = {
        .struct_size = sizeof config, .manual_dispatch = manual_dispatch, .log = take_log};
    ANSWERS(CURFEW_OK, curfew_host_create(&config, &host, &error));
    ANSWERS(CURFEW_OK, curfew_host_observe(host, NULL, observe, jobs, NULL, &error));

    curfew_error refusal = {.struct_size = sizeof refusal};
    refusing = true;
    const curfew_status refused = curfew_host_load_plugin(host, scratch, &refusal);
    refusing = false;
    CHECK(refused == CURFEW_REFUSED || refused == CURFEW_SYSTEM, "%s is no plugin, and loading it "
          "answered %s", scratch, curfew_status_text(refused));
    CHECK(refusal.code == refused && refusal.message[0] != 0, "refused without a word");
    say("refused    %s", refusal.message);
    ANSWERS(CURFEW_NOT_FOUND, curfew_host_launch(host, "org.example.nobody", NULL, NULL, &refusal));

    for (int at = 0; at < TASKS; at++) load(&jobs[at], at == 2 ? test_plugins : plugins);
    curfew_subscription direct;
    ANSWERS(CURFEW_OK,
            curfew_host_subscribe(host, "patient_done::", (curfew_any_function)patient_done, NULL,
                                  &direct, &error));
    for (int at = 0; at < TASKS; at++) launch(&jobs[at]);
    if (manual_dispatch)
        turn_own_loop();
    else
        wait_for_curfews_loop();
    for (int at = 0; at < TASKS; at++) check_end(&jobs[at]);
    check_work();
    raise_and_collect();
    ANSWERS(CURFEW_OK, curfew_host_shutdown(host, NULL, &error));
    ANSWERS(CURFEW_OK, curfew_host_shutdown(host, NULL, &error));
    ANSWERS(CURFEW_OK, curfew_host_dispatch(host, 0, NULL, NULL));
    ANSWERS(CURFEW_CLOSING, curfew_host_launch(host, jobs[0].identifier, NULL, NULL, &refusal));
    curfew_task_state state = {.struct_size = sizeof state};
    ANSWERS(CURFEW_STALE, curfew_host_get_task(host, jobs[0].task, &state, NULL));
    check_all_was_seen();
    ANSWERS(CURFEW_OK, curfew_host_unsubscribe(host, direct, NULL));
    ANSWERS(CURFEW_NOT_FOUND, curfew_host_unsubscribe(host, direct, NULL));
    ANSWERS(CURFEW_OK, curfew_host_destroy(host, NULL, &error));
    CHECK(curfew_get_leaked_host_count() == 0, "the host left a thread behind");
    check_handlers();
    say("good       %" PRIu64 " events, %u log lines", sequence, atomic_load(&log_lines));
    return 0;
}
