/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host takes of memory, through the public C ABI.
 *
 *     curfew idle LIBRARY PLUGIN_DIRECTORY
 *     curfew pending | own-budget COUNT LIBRARY PLUGIN_DIRECTORY
 *     curfew prepare COUNT LIBRARY PLUGIN_DIRECTORY STORE
 *     curfew requests COUNT LIBRARY PLUGIN_DIRECTORY STORE
 *
 * idle: the whole process, 100 ms after a host with the default configuration has loaded a plugin:
 * idle_kib is all that is resident, pss_kib and anonymous_kib as rollup.h has them.
 * pending: COUNT tasks whose function has returned CURFEW_PENDING, each with its handler's budget
 * armed; bytes_each is what the process has grown by for each. The limit of tasks is COUNT.
 * own-budget: the same, each launched with a budget of its own, one hour.
 * prepare: makes a store with COUNT requests that are due tomorrow, and measures nothing.
 * requests: a host takes up that store, is given one more request, and launches it; requests_kib is
 * what is resident after that, requests_peak_kib what ever was. With a COUNT of 0 and a STORE that
 * is not there yet it tells what all others are to be compared with.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../libcurfew.h"
#include "rollup.h"

enum { SUBMITTERS = 64 };
static const char identifier[] = "org.example.pending";
static const uint64_t hour_ns = 3600000000000;

static struct libcurfew curfew;

static void sleep_ms(long ms) {
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

static void print_idle(void) {
    sleep_ms(100);
    const struct rollup rollup = read_rollup();
    printf("idle_kib %ld\npss_kib %ld\nanonymous_kib %ld\n", rollup.rss_kib, rollup.pss_kib,
           rollup.anonymous_kib);
}

/* --- Pending tasks ------------------------------------------------------------------------- */

static bool has_own_budget;

static void launch(void) {
    const curfew_launch_options own = {.struct_size = sizeof own, .budget_ns = hour_ns};
    const curfew_launch_options *options = has_own_budget ? &own : NULL;
    curfew_status status;
    while ((status = curfew.host_launch_by_index(curfew.host, curfew.handler, options, NULL,
                                                 NULL)) == CURFEW_BUSY)
        sched_yield();
    if (status != CURFEW_OK) fail("not launched: %s", curfew.status_text(status));
}

static curfew_handler_state handler_state(void) {
    curfew_handler_state state = {.struct_size = sizeof state};
    if (curfew.host_get_handler(curfew.host, curfew.handler, &state, NULL) != CURFEW_OK)
        fail("no handler");
    return state;
}

static void launch_until(uint64_t count) {
    for (curfew_handler_state state = handler_state(); state.launched < count; state.launched++)
        launch();
    for (;;) {
        const curfew_handler_state state = handler_state();
        if (state.queued == 0 && state.active == 0) break;
        sleep_ms(1);
    }
    const curfew_handler_state state = handler_state();
    uint64_t ended = 0;
    for (size_t i = 0; i < sizeof state.ended / sizeof state.ended[0]; i++) ended += state.ended[i];
    if (state.launched != count || ended != 0)
        fail("%" PRIu64 " launched and %" PRIu64 " ended", state.launched, ended);
}

static void print_pending(int count) {
    launch_until(1); /* its threads are there */
    sleep_ms(20);
    const struct rollup before = read_rollup();
    launch_until((uint64_t)count + 1);
    sleep_ms(20);
    const struct rollup after = read_rollup();
    print_bytes_each(&before, &after, count);
}

/* --- Stored requests ----------------------------------------------------------------------- */

static curfew_request submit(int64_t earliest_ns, const char *payload) {
    const curfew_submit_options options = {.struct_size = sizeof options,
                                           .earliest_ns = earliest_ns,
                                           .on_pending = CURFEW_ON_PENDING_ADD,
                                           .payload = payload,
                                           .payload_bytes = payload == NULL ? 0 : 1};
    curfew_request request;
    curfew_error error = {.struct_size = sizeof error};
    if (curfew.host_submit(curfew.host, identifier, &options, &request, NULL, &error) != CURFEW_OK)
        fail("not submitted: %s", error.message);
    return request;
}

static void *submit_share(void *data) {
    const int64_t tomorrow = curfew.host_get_wall_ns(curfew.host) + 24 * (int64_t)hour_ns;
    for (int left = *(int *)data; left > 0; left--) submit(tomorrow, NULL);
    return NULL;
}

static void open_store(const char *library, const char *plugin, const char *store) {
    const curfew_request_config requests = {.struct_size = sizeof requests,
                                            .identifier_limit = 100000000,
                                            .pending_limit = 100000000};
    const curfew_host_config config = {
        .struct_size = sizeof config, .store = store, .requests = &requests};
    curfew = open_libcurfew(library, plugin, identifier, &config);
}

static void prepare(int count) {
    pthread_t threads[SUBMITTERS];
    int shares[SUBMITTERS];
    for (int i = 0; i < SUBMITTERS; i++) {
        shares[i] = count / SUBMITTERS + (i < count % SUBMITTERS);
        if (pthread_create(&threads[i], NULL, submit_share, &shares[i]) != 0) fail("no thread");
    }
    for (int i = 0; i < SUBMITTERS; i++) pthread_join(threads[i], NULL);
}

static sem_t is_over;

static void pending_done(void *event_data, bool success, const char *error) {
    (void)event_data;
    if (!success) fail("the task failed: %s", error);
    sem_post(&is_over);
}

/* Submits a request that is due; returns its number once its task was launched and has ended. */
static curfew_request run_one(void) {
    curfew_error error = {.struct_size = sizeof error};
    curfew_subscription subscription;
    sem_init(&is_over, 0, 0);
    if (curfew.host_subscribe(curfew.host, "pending_done::", (curfew_any_function)pending_done,
                              NULL, &subscription, &error) != CURFEW_OK)
        fail("not subscribed: %s", error.message);
    const curfew_request request = submit(0, "1");
    while (sem_wait(&is_over) != 0) {
    }
    return request;
}

static void print_requests(curfew_request count) {
    const curfew_request request = run_one();
    /* Each run leaves one of its own. */
    if (request <= count) fail("request %" PRIu64 ": there are fewer in the store", request);
    const struct rollup rollup = read_rollup();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("requests_kib %ld\nrequests_peak_kib %ld\nrequests_anonymous_kib %ld\n", rollup.rss_kib,
           usage.ru_maxrss, rollup.anonymous_kib);
}

int main(int argc, char **argv) {
    const char *usage = "usage: curfew idle LIBRARY PLUGIN |"
                        " pending|own-budget COUNT LIBRARY PLUGIN |"
                        " prepare|requests COUNT LIBRARY PLUGIN STORE";
    const char *variant = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    if (argc == 4 && strcmp(variant, "idle") == 0) {
        alarm(60);
        curfew = open_libcurfew(argv[2], argv[3], identifier, NULL);
        print_idle();
    } else if (argc == 5 && count > 0 &&
               (strcmp(variant, "pending") == 0 || strcmp(variant, "own-budget") == 0)) {
        has_own_budget = strcmp(variant, "own-budget") == 0;
        alarm(60);
        const curfew_host_config config = {.struct_size = sizeof config,
                                           .task_limit = (uint32_t)count + 1};
        curfew = open_libcurfew(argv[3], argv[4], identifier, &config);
        print_pending(count);
    } else if (argc == 6 && strcmp(variant, "prepare") == 0 && count > 0) {
        if (access(argv[5], F_OK) == 0) fail("%s exists", argv[5]);
        open_store(argv[3], argv[4], argv[5]);
        prepare(count);
    } else if (argc == 6 && strcmp(variant, "requests") == 0 && count >= 0) {
        alarm(60);
        open_store(argv[3], argv[4], argv[5]);
        print_requests((curfew_request)count);
    } else {
        fail("%s", usage);
    }
    close_libcurfew(&curfew);
    return 0;
}
