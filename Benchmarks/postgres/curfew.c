/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests in a store on a PostgreSQL server, through the public C ABI.
 *
 *     curfew table LIBRARY PLUGIN_DIRECTORY URL   the tables, and one request that is due
 *     curfew submit HOSTS CALLERS COUNT LIBRARY PLUGIN_DIRECTORY URL
 *     curfew life HOSTS CALLERS COUNT LIBRARY PLUGIN_DIRECTORY URL
 *     curfew tasks HOSTS PLACES COUNT LIBRARY PLUGIN_DIRECTORY URL
 *
 * submit: each caller submits, with a payload of 100 bytes, and has its number before it submits the
 * next. Nothing of it is due.
 * life: from submission to the done event, which comes after the end was committed, with as many in
 * flight as there are callers.
 * tasks: of requests that are there, COUNT are launched and ended, at most PLACES at a time in each
 * host; from the first end that is committed to the last. Where no more are left, each has been
 * launched once.
 *
 * Each host is a process. The default configuration, but for the number of pending requests of a kind,
 * and the places.
 */
#include <pthread.h>

#include "../libcurfew.h"
#include "processes.h"

enum { MOST_CALLERS = 1024 };
static const char identifier[] = "org.example.parallel";

static struct board {
    struct gate gate, end;
    sem_t all_over;
    _Atomic uint64_t over, launched, succeeded, pending;
    uint64_t first_ns, last_ns;
    _Atomic uint64_t created_ns; /* how long the last host took to be created and to load its plugin */
} *board;

static const char *library, *plugin, *store;
static enum { SUBMIT, LIFE, DRAIN } kind;
static int callers, each;
static uint64_t total;

/* --- In a host's process --------------------------------------------------------------------- */

static struct libcurfew curfew;
static int64_t earliest;
static sem_t room;

static void submit(void) {
    static const char payload[100] = "as large as a small job";
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .kind = CURFEW_KIND_PROCESSING,
                                           .earliest_ns = earliest,
                                           .on_pending = CURFEW_ON_PENDING_ADD,
                                           .payload = payload,
                                           .payload_bytes = sizeof payload};
    curfew_request request;
    curfew_submission submission;
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status =
        curfew.host_submit(curfew.host, identifier, &options, &request, &submission, &error);
    if (status != CURFEW_OK || submission != CURFEW_SUBMISSION_QUEUED || request == 0)
        fail("not submitted: %s", error.message);
}

static void *call(void *data) {
    (void)data;
    for (int i = 0; i < each; i++) {
        if (kind == LIFE) wait_for(&room);
        submit();
    }
    return NULL;
}

static void parallel_done(void *event_data, const curfew_event *event) {
    (void)event_data;
    /* What is left when the host is destroyed is interrupted. */
    if (board->over >= total) return;
    if (event->values[0].integer != 1) fail("a task failed: %s", event->values[1].text);
    if (kind == LIFE) sem_post(&room);
    const uint64_t before = atomic_fetch_add(&board->over, 1);
    if (before == 0) board->first_ns = now_ns();
    if (before + 1 != total) return;
    board->last_ns = now_ns();
    sem_post(&board->all_over);
}

static void open_host(int places) {
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .identifier_limit = 100000000,
                                            .pending_limit = 100000000,
                                            .place_limit = (uint32_t)places};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = store, .requests = &requests};
    curfew = look_up_libcurfew(library);
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew.host_create(&config, &curfew.host, &error);
    if (status != CURFEW_OK) fail("no host: %s", error.message);
}

/* Requests are launched from here on. */
static void load_plugin(void) {
    curfew_error error = {.struct_size = sizeof error};
    curfew_status status =
        curfew.host_observe(curfew.host, "parallel_done::", parallel_done, NULL, NULL, &error);
    if (status != CURFEW_OK) fail("not observed: %s", error.message);
    status = curfew.host_load_plugin(curfew.host, plugin, &error);
    if (status != CURFEW_OK) fail("%s not loaded: %s", plugin, error.message);
}

static void add_counts(void) {
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    board->launched += counts.launched;
    board->succeeded += counts.ended[CURFEW_OUTCOME_SUCCEEDED];
    const curfew_request_filter live = {
        .struct_size = sizeof live,
        .phases = 1 << CURFEW_REQUEST_PHASE_PENDING | 1 << CURFEW_REQUEST_PHASE_RUNNING};
    curfew_request_state state = {.struct_size = sizeof state};
    uint32_t count;
    if (curfew.host_list_requests(curfew.host, &live, &state, 1, &count, NULL) != CURFEW_OK)
        fail("no list");
    board->pending += count;
}

static void be_host(int number) {
    (void)number;
    if (kind != DRAIN) {
        open_host(0);
        load_plugin();
        sem_init(&room, 0, (unsigned)callers);
        if (kind == SUBMIT) earliest = curfew.host_get_wall_ns(curfew.host) + 86400000000000;
        pthread_t threads[MOST_CALLERS];
        pass_gate(&board->gate);
        for (int i = 0; i < callers; i++)
            if (pthread_create(&threads[i], NULL, call, NULL) != 0) fail("no thread");
        for (int i = 0; i < callers; i++) pthread_join(threads[i], NULL);
    } else {
        const uint64_t asked = now_ns();
        open_host(callers);
        const uint64_t opened = now_ns();
        pass_gate(&board->gate);
        const uint64_t passed = now_ns();
        load_plugin();
        board->created_ns = opened - asked + now_ns() - passed;
    }
    pass_gate(&board->end);
    add_counts();
    close_libcurfew(&curfew);
}

/* --- In the first process -------------------------------------------------------------------- */

static void make_table(int number) {
    (void)number;
    open_host(0);
    submit();
    close_libcurfew(&curfew);
}

/* Every request that should have been was launched once and succeeded. */
static void check(void) {
    const uint64_t expected = kind == SUBMIT ? 0 : total;
    if (board->launched < expected || (board->pending == 0 && board->launched != expected) ||
        board->succeeded < expected)
        fail("%" PRIu64 " tasks launched and %" PRIu64 " succeeded instead of %" PRIu64,
             board->launched, board->succeeded, expected);
    if (kind == LIFE && board->pending != 0) fail("some requests are left");
}

int main(int argc, char **argv) {
    const char *usage = "usage: curfew table LIBRARY PLUGIN_DIRECTORY URL | submit|life|tasks HOSTS "
                        "CALLERS COUNT LIBRARY PLUGIN_DIRECTORY URL";
    if (argc < 5) fail("%s", usage);
    library = argv[argc - 3], plugin = argv[argc - 2], store = argv[argc - 1];
    alarm(60);
    if (strcmp(argv[1], "table") == 0) {
        finish_process(start_process(make_table, 0));
        return 0;
    }
    if (argc != 8) fail("%s", usage);
    if (strcmp(argv[1], "submit") == 0) kind = SUBMIT;
    else if (strcmp(argv[1], "life") == 0) kind = LIFE;
    else if (strcmp(argv[1], "tasks") == 0) kind = DRAIN;
    else fail("%s", usage);
    const int hosts = atoi(argv[2]);
    callers = atoi(argv[3]);
    const int count = atoi(argv[4]);
    if (hosts < 1 || hosts > MOST_PROCESSES || callers < 1 || callers > MOST_CALLERS || count < 2)
        fail("%s", usage);
    each = count / hosts / callers;
    total = kind == DRAIN ? (uint64_t)count : (uint64_t)each * (uint64_t)(hosts * callers);
    board = shared_memory(sizeof *board);
    init_gate(&board->gate);
    init_gate(&board->end);
    sem_init(&board->all_over, 1, 0);

    pid_t processes[MOST_PROCESSES];
    for (int i = 0; i < hosts; i++) processes[i] = start_process(be_host, i);
    uint64_t started = open_gate(&board->gate, hosts), ended;
    uint64_t measured = total;
    if (kind != SUBMIT) {
        wait_for(&board->all_over);
        ended = board->last_ns;
        open_gate(&board->end, hosts);
        if (kind == DRAIN) {
            printf("start_ms %.3f\n", (double)board->created_ns / 1e6);
            started = board->first_ns;
            measured--;
        }
    } else {
        ended = open_gate(&board->end, hosts);
    }
    for (int i = 0; i < hosts; i++) finish_process(processes[i]);
    check();
    printf("per_second %.1f\n", (double)measured * 1e9 / (double)(ended - started));
    return 0;
}
