/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch through Curfew's public C ABI: one thread launches TASKS tasks of an empty C handler in
 * a plugin, in a host with the default configuration.
 *
 *     dispatch/curfew plain | event LIBRARY PLUGIN_DIRECTORY
 *
 * plain: from the first launch until the handler has counted TASKS tasks as succeeded.
 * event: one C function is subscribed to each task's done event besides; until it was called TASKS
 * times, on Curfew's own event thread.
 *
 * Each task has its budget, is completed exactly once, and its outcome is counted.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "../libcurfew.h"

/* The subscriber's. Only the event thread writes it; the semaphore hands it over. */
static struct {
    uint64_t delivered, failures, ended_ns;
    pthread_t first_thread, last_thread;
    sem_t all_delivered;
} events;

static void empty_done(void *event_data, bool success, const char *error) {
    (void)event_data, (void)error;
    if (!success) events.failures++;
    if (events.delivered++ == 0) events.first_thread = pthread_self();
    if (events.delivered != TASKS) return;
    events.ended_ns = now_ns();
    events.last_thread = pthread_self();
    sem_post(&events.all_delivered);
}

static curfew_handler_state handler_state(const struct libcurfew *curfew) {
    curfew_handler_state state = {.struct_size = sizeof state};
    const curfew_status status =
        curfew->host_get_handler(curfew->host, curfew->handler, &state, NULL);
    if (status != CURFEW_OK) fail("handler: %s", curfew->status_text(status));
    return state;
}

static uint64_t ended(const curfew_handler_state *state) {
    uint64_t sum = 0;
    for (int outcome = CURFEW_OUTCOME_SUCCEEDED; outcome <= CURFEW_OUTCOME_ABANDONED; outcome++)
        sum += state->ended[outcome];
    return sum;
}

/* How many successes the handler has not counted yet. The outcome of a task comes before its done
 * event, so after the last event this should be 0; it is told, but it is not what is timed. */
static uint64_t uncounted(const struct libcurfew *curfew) {
    const curfew_handler_state state = handler_state(curfew);
    const uint64_t counted = ended(&state);
    return counted < TASKS ? TASKS - counted : 0;
}

static uint64_t wait_until_all_over(const struct libcurfew *curfew) {
    for (;;) {
        const curfew_handler_state state = handler_state(curfew);
        if (ended(&state) >= TASKS) return now_ns();
        sched_yield();
    }
}

static uint64_t wait_until_all_delivered(void) {
    while (sem_wait(&events.all_delivered) != 0)
        if (errno != EINTR) fail("sem_wait: %s", strerror(errno));
    if (events.failures != 0) fail("%" PRIu64 " events tell of failure", events.failures);
    if (!pthread_equal(events.first_thread, events.last_thread) ||
        pthread_equal(events.first_thread, pthread_self()))
        fail("events were not delivered on one thread of Curfew's own");
    return events.ended_ns;
}

/* How often a launch was refused and tried again. */
static struct {
    uint64_t busy;      /* the handler's queue was full */
    uint64_t exhausted; /* undelivered done events held their tasks, up to the host's task limit */
} refused;

static void launch(const struct libcurfew *curfew) {
    for (;;) {
        const curfew_status status =
            curfew->host_launch_by_index(curfew->host, curfew->handler, NULL, NULL, NULL);
        if (status == CURFEW_OK) return;
        if (status == CURFEW_BUSY)
            refused.busy++;
        else if (status == CURFEW_EXHAUSTED)
            refused.exhausted++;
        else
            fail("not launched: %s", curfew->status_text(status));
        sched_yield();
    }
}

int main(int count, char **arguments) {
    alarm(60); /* rather than hang */
    const bool event = count == 4 && strcmp(arguments[1], "event") == 0;
    if (!event && (count != 4 || strcmp(arguments[1], "plain") != 0))
        fail("usage: dispatch/curfew plain | event LIBRARY PLUGIN_DIRECTORY");
    struct libcurfew curfew = open_libcurfew(arguments[2], arguments[3], "org.example.empty", NULL);
    curfew_error error = {.struct_size = sizeof error};
    if (event) {
        sem_init(&events.all_delivered, 0, 0);
        const curfew_status status = curfew.host_subscribe(
            curfew.host, "empty_done::", (curfew_any_function)empty_done, NULL, NULL, &error);
        if (status != CURFEW_OK)
            fail("not subscribed: %s: %s", curfew.status_text(status), error.message);
    }

    const uint64_t started = now_ns();
    for (int i = 0; i < TASKS; i++) launch(&curfew);
    const uint64_t over = event ? wait_until_all_delivered() : wait_until_all_over(&curfew);
    const uint64_t missing = uncounted(&curfew);
    wait_until_all_over(&curfew);

    const curfew_handler_state state = handler_state(&curfew);
    if (state.ended[CURFEW_OUTCOME_SUCCEEDED] != TASKS || ended(&state) != TASKS)
        fail("%" PRIu64 " tasks succeeded and %" PRIu64 " ended, instead of %d",
             state.ended[CURFEW_OUTCOME_SUCCEEDED], ended(&state), TASKS);
    curfew_counts counts = {.struct_size = sizeof counts};
    if (curfew.host_get_counts(curfew.host, &counts, NULL) != CURFEW_OK) fail("no counts");
    if (counts.launched != TASKS || counts.ended[CURFEW_OUTCOME_SUCCEEDED] != TASKS)
        fail("the host counts %" PRIu64 " tasks launched and %" PRIu64 " succeeded",
             counts.launched, counts.ended[CURFEW_OUTCOME_SUCCEEDED]);
    close_libcurfew(&curfew);
    if (event && events.delivered != TASKS)
        fail("%" PRIu64 " events delivered, instead of %d", events.delivered, TASKS);

    print_ns_per_task(started, over);
    printf("full %" PRIu64 "\nexhausted %" PRIu64 "\nwakeups %" PRIu64 "\nuncounted %" PRIu64 "\n",
           refused.busy, refused.exhausted, counts.wakeups, missing);
    /* Of workers, watchers and the event loop together, which the host does not count apart. */
    printf("wakeups_per_million %.1f\n", (double)counts.wakeups * 1000000 / TASKS);
    return 0;
}
