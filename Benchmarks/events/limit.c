/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a done event can cost which anybody may subscribe to under its name, with a
 * function of any parameters: the look-up of the name's number in a hash table, and a call through
 * libffi of the subscriber, `void done(bool success, const char *error)`.
 *
 *     events/limit direct | ring
 *
 * direct: TASKS events on one thread. ring: each task of dispatch/limit raises one when it ends. It
 * is handed over to a second thread by an intrusive queue that many workers could share, and
 * delivered there; then its place in the ring is free.
 *
 * No thread can expect an event, subscribe or unsubscribe meanwhile, and none sleeps.
 */
#include <ffi.h>
#include <pthread.h>
#include <string.h>

#include "../dispatch/ring.h"

/* --- Events and their subscribers ------------------------------------------------------------ */

enum { EVENTS = 64, PLACES = 256, DONE = 41 };

struct event {
    uint32_t number; /* 0: no subscriber */
    void (*subscriber)(void);
    ffi_cif parameters;
};

static struct event events[PLACES];
static ffi_type *parameter_types[2];

static uint32_t place_of(uint32_t number) { return (number * 0x9e3779b1u) >> 24; }

static void subscribe(uint32_t number, void (*subscriber)(void)) {
    uint32_t place = place_of(number);
    while (events[place].number != 0) place = (place + 1) % PLACES;
    events[place].number = number;
    events[place].subscriber = subscriber;
    if (ffi_prep_cif(&events[place].parameters, FFI_DEFAULT_ABI, 2, &ffi_type_void,
                     parameter_types) != FFI_OK)
        fail("events/limit: libffi does not know the call");
}

static struct event *look_up(uint32_t number) {
    uint32_t place = place_of(number);
    while (events[place].number != number) {
        if (events[place].number == 0) return NULL;
        place = (place + 1) % PLACES;
    }
    return &events[place];
}

static void deliver(uint32_t number, bool success, const char *error) {
    struct event *event = look_up(number);
    if (event == NULL) fail("events/limit: no subscriber of %" PRIu32, number);
    uint8_t first = success;
    void *values[] = {&first, &error};
    ffi_call(&event->parameters, event->subscriber, NULL, values);
}

static uint64_t delivered, failures;

static void done(bool success, const char *error) {
    if (!success || *error != '\0') failures++;
    delivered++;
}

static void other(bool success, const char *error) {
    (void)success, (void)error;
    fail("events/limit: delivered to another subscriber");
}

static void subscribe_all(void) {
    parameter_types[0] = &ffi_type_uint8;
    parameter_types[1] = &ffi_type_pointer;
    for (uint32_t number = 1; number <= EVENTS; number++)
        subscribe(number, (void (*)(void))(number == DONE ? done : other));
}

/* --- direct ---------------------------------------------------------------------------------- */

static volatile uint32_t raised = DONE; /* known only at run time, as in a real program */

static void deliver_directly(void) {
    const uint64_t started = now_ns();
    for (int i = 0; i < TASKS; i++) deliver(raised, true, "");
    const uint64_t ended = now_ns();
    printf("ns_per_event %.2f\n", (double)(ended - started) / TASKS);
}

/* --- ring ------------------------------------------------------------------------------------ */

/* Ends on their way, oldest first: each one's `next` is the next younger one. The stub stands in
 * where there would be none. */
static struct slot stub;
static struct {
    _Alignas(64) _Atomic(struct slot *) last; /* the workers' */
    _Alignas(64) struct slot *first;          /* the event thread's */
} queue = {.last = &stub, .first = &stub};

static void raise_done(struct slot *slot) {
    atomic_store_explicit(&slot->next, NULL, memory_order_relaxed);
    struct slot *before = atomic_exchange_explicit(&queue.last, slot, memory_order_acq_rel);
    atomic_store_explicit(&before->next, slot, memory_order_release);
}

static struct slot *next_after(struct slot *slot) {
    return atomic_load_explicit(&slot->next, memory_order_acquire);
}

/* The oldest, or NULL while there is none, or while a worker has not linked its own yet. */
static struct slot *take(void) {
    if (queue.first == &stub) {
        struct slot *next = next_after(&stub);
        if (next == NULL) return NULL;
        queue.first = next;
    }
    struct slot *first = queue.first;
    if (next_after(first) == NULL) {
        if (atomic_load_explicit(&queue.last, memory_order_acquire) != first) return NULL;
        raise_done(&stub); /* so that the only one can leave */
        if (next_after(first) == NULL) return NULL;
    }
    queue.first = next_after(first);
    return first;
}

static void *deliver_from_queue(void *unused) {
    int waited = 0;
    while (delivered < TASKS) {
        const struct slot *slot = take();
        if (slot == NULL) {
            look_again(&waited);
            continue;
        }
        deliver(slot->event, slot->success, "");
        empty_place(slot->place);
    }
    atomic_store_explicit(&shared.all_over, true, memory_order_release);
    return unused;
}

static int32_t empty(void *handler_data, uint64_t task) {
    (void)handler_data, (void)task;
    return 0;
}

static void *work(void *unused) {
    int waited = 0;
    while (shared.head < TASKS) {
        const uint64_t place = next_place();
        if (place == UINT64_MAX) {
            look_again(&waited);
            continue;
        }
        struct slot *slot = &slots[place % IN_FLIGHT];
        slot->success = run(place);
        slot->place = place;
        slot->event = DONE;
        raise_done(slot);
    }
    return unused;
}

static pthread_t start(void *(*function)(void *)) {
    pthread_t thread;
    const int fault = pthread_create(&thread, NULL, function, NULL);
    if (fault != 0) fail("events/limit: no thread: %s", strerror(fault));
    return thread;
}

static void deliver_through_ring(void) {
    make_ring();
    const pthread_t worker = start(work), event_thread = start(deliver_from_queue);

    const uint64_t started = now_ns();
    const uint64_t full = launch_all(empty);
    const uint64_t ended = now_ns();

    pthread_join(worker, NULL);
    pthread_join(event_thread, NULL);
    if (shared.succeeded != TASKS)
        fail("events/limit: %" PRIu64 " of %d tasks succeeded", shared.succeeded, TASKS);
    print_ns_per_task(started, ended);
    printf("full %" PRIu64 "\n", full);
}

int main(int count, char **arguments) {
    const char *variant = count == 2 ? arguments[1] : "";
    const bool direct = strcmp(variant, "direct") == 0;
    if (!direct && strcmp(variant, "ring") != 0) fail("usage: events/limit direct | ring");
    subscribe_all();
    if (direct)
        deliver_directly();
    else
        deliver_through_ring();
    if (delivered != TASKS || failures != 0)
        fail("events/limit: %" PRIu64 " events delivered, %" PRIu64 " of failure", delivered,
             failures);
    return 0;
}
