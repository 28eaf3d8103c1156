/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How soon one host sees what another one leaves: hosts of one store on a PostgreSQL server, each a
 * process, through the public C ABI.
 *
 *     hosts pickup COUNT PAUSE_MS LIBRARY PLUGIN_DIRECTORY URL
 *     hosts takeover LEASE_SECONDS LIBRARY PLUGIN_DIRECTORY URL
 *     hosts restart LEASE_SECONDS LIBRARY PLUGIN_DIRECTORY URL
 *
 * pickup: a host without the handler submits, and another one launches; from the call of the
 * submission until the task begins. The next one is submitted PAUSE_MS later.
 * takeover: two hosts are killed at a time, each while it runs a task, and another one is there that
 * has watched them for a while; from the kill until the last of the tasks begins again. The two beat at
 * different times. URL has LEASE_SECONDS as its lease.
 * restart: no other one is there, and one is started after the kill; from its start.
 */
#include "../libcurfew.h"
#include "mark.h"
#include "processes.h"

static const char identifier[] = "org.example.marking";

enum { VICTIMS = 2, BEATS_PER_LEASE = 3 };

static struct board {
    struct gate gate;
    sem_t end;
    struct mark marks[VICTIMS];
} *board;

static const char *library, *plugin, *store;
static struct libcurfew curfew;

static void open_host(bool runs, uint32_t places) {
    const curfew_request_config requests = {.struct_size = sizeof requests, .place_limit = places};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = store, .requests = &requests};
    curfew = look_up_libcurfew(library);
    curfew_error error = {.struct_size = sizeof error};
    curfew_status status = curfew.host_create(&config, &curfew.host, &error);
    if (status != CURFEW_OK) fail("no host: %s", error.message);
    if (!runs) return;
    status = curfew.host_load_plugin(curfew.host, plugin, &error);
    if (status != CURFEW_OK) fail("%s not loaded: %s", plugin, error.message);
}

/* A task that marks the number. */
static void submit(int number) {
    const struct mark *address = &board->marks[number];
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .kind = CURFEW_KIND_PROCESSING,
                                           .on_pending = CURFEW_ON_PENDING_ADD,
                                           .payload = &address,
                                           .payload_bytes = sizeof address};
    curfew_error error = {.struct_size = sizeof error};
    if (curfew.host_submit(curfew.host, identifier, &options, NULL, NULL, &error) != CURFEW_OK)
        fail("not submitted: %s", error.message);
}

/* Runs what the other one submits. */
static void be_runner(int number) {
    (void)number;
    open_host(true, 0);
    pass_gate(&board->gate);
    wait_for(&board->end);
    close_libcurfew(&curfew);
}

/* --- Pick-up --------------------------------------------------------------------------------- */

static void measure_pickup(int count, int pause_ms) {
    uint64_t *times = calloc((size_t)count, sizeof times[0]);
    const pid_t runner = start_process(be_runner, 0);
    open_host(false, 0);
    open_gate(&board->gate, 1);
    for (int i = 0; i < count; i++) {
        usleep((useconds_t)pause_ms * 1000);
        const uint64_t asked = now_ns();
        submit(0);
        wait_for(&board->marks[0].begun);
        times[i] = board->marks[0].begun_ns - asked;
    }
    sem_post(&board->end);
    finish_process(runner);
    close_libcurfew(&curfew);
    if (board->marks[0].launches != (uint64_t)count) fail("not each was launched once");
    print_times(times, count, "ms", 1e6);
}

/* --- Take-over ------------------------------------------------------------------------------- */

/* It has one place, which its own task takes. */
static void be_victim(int number) {
    open_host(true, 1);
    submit(number);
    for (;;) pause();
}

static void sleep_ns(uint64_t duration) {
    const struct timespec time = {.tv_sec = (time_t)(duration / 1000000000),
                                  .tv_nsec = (long)(duration % 1000000000)};
    nanosleep(&time, NULL);
}

static void measure_takeover(uint64_t lease, bool is_watched) {
    const uint64_t beat = lease / BEATS_PER_LEASE;
    pid_t victims[VICTIMS], other = 0;
    for (int i = 0; i < VICTIMS; i++) {
        board->marks[i].holds = true;
        victims[i] = start_process(be_victim, i);
        wait_for(&board->marks[i].begun);
        board->marks[i].holds = false;
        sleep_ns(beat / VICTIMS);
    }
    if (is_watched) {
        sleep_ns(now_ns() % beat);
        other = start_process(be_runner, 0);
        open_gate(&board->gate, 1);
        sleep_ns(lease / 2 + now_ns() % beat);
    }
    uint64_t from = now_ns();
    for (int i = 0; i < VICTIMS; i++) kill(victims[i], SIGKILL);
    for (int i = 0; i < VICTIMS; i++) waitpid(victims[i], NULL, 0);
    if (!is_watched) {
        from = now_ns();
        other = start_process(be_runner, 0);
        open_gate(&board->gate, 1);
    }
    uint64_t longest = 0;
    for (int i = 0; i < VICTIMS; i++) {
        wait_for(&board->marks[i].begun);
        const uint64_t time = board->marks[i].begun_ns - from;
        if (time > longest) longest = time;
    }
    sem_post(&board->end);
    finish_process(other);
    for (int i = 0; i < VICTIMS; i++)
        if (board->marks[i].launches != 2) fail("a task was not launched twice");
    printf("leases %.3f\nms %.3f\n", (double)longest / (double)lease, (double)longest / 1e6);
}

int main(int argc, char **argv) {
    const char *usage = "usage: hosts pickup COUNT PAUSE_MS | takeover|restart LEASE_SECONDS "
                        "LIBRARY PLUGIN_DIRECTORY URL";
    if (argc < 6) fail("%s", usage);
    const int first = atoi(argv[2]);
    if (first < 1) fail("%s", usage);
    library = argv[argc - 3], plugin = argv[argc - 2], store = argv[argc - 1];
    alarm(60);
    board = shared_memory(sizeof *board);
    init_gate(&board->gate);
    sem_init(&board->end, 1, 0);
    for (int i = 0; i < VICTIMS; i++) sem_init(&board->marks[i].begun, 1, 0);
    const uint64_t lease = (uint64_t)first * 1000000000;
    if (strcmp(argv[1], "pickup") == 0 && argc == 7)
        measure_pickup(first, atoi(argv[3]));
    else if (strcmp(argv[1], "takeover") == 0 && argc == 6)
        measure_takeover(lease, true);
    else if (strcmp(argv[1], "restart") == 0 && argc == 6)
        measure_takeover(lease, false);
    else
        fail("%s", usage);
    return 0;
}
