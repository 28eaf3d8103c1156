/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/events.h: subscribe to events, wait for them, raise them, and deliver them on a loop.
 *
 * An event is named by a selector: its name, and one colon for each parameter. For a handler whose
 * events are named `tidy` the host raises
 *
 *     registeringtidy_done::  (bool success, text error)     after it was registered, or refused
 *     tidy_progress::         (double fraction, text)        when a task reports progress
 *     tidy_expired            ()                             when a task is told to stop
 *     tidy_done::             (bool success, text error)     once a task is over
 *     schedulingtidy_done::   (bool success, text error)     after a request was submitted, or refused
 *
 * and `curfew_gap:` (int64 lost) where events other than done events had to be dropped.
 */
#ifndef CURFEW_EVENTS_H
#define CURFEW_EVENTS_H

#include "types.h"

CURFEW_BEGIN_DECLS

/* An event. */
typedef struct curfew_event {
    uint32_t struct_size;
    uint32_t count;             /* of values */
    const char *selector;
    const curfew_value *values; /* texts end with NUL as well */
    curfew_task task;           /* the task it is about, valid during delivery; or 0 */
    uint64_t sequence;          /* 1, 2, 3, … in the order of delivery; a gap counts what it lost */
} curfew_event;

/* Receives an event, which is the host's and valid during the call. One event is delivered at a
 * time. May call every function that is not tagged `outside`. */
typedef void (*curfew_event_function)(void *CURFEW_NULLABLE event_data, const curfew_event *event)
    CURFEW_TAG(loop, any);

/* A subscription, or an expectation; 0 is none. */
typedef uint64_t curfew_subscription;

/* A function of any signature, to be cast to and from. */
typedef void (*curfew_any_function)(void) CURFEW_TAG(loop, any);

/*
 * Subscribes a C function whose parameters are `event_data` and those that the event declares, for
 * example `void tidy_done(void *event_data, bool success, const char *error)` to "tidy_done::". The
 * texts are valid during the call, in which curfew_host_get_sender returns the task. The event must
 * be declared already: load its plugin first. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_INVALID.
 */
curfew_status curfew_host_subscribe(curfew_host *host, const char *selector,
                                    curfew_any_function function,
                                    void *CURFEW_NULLABLE event_data,
                                    curfew_subscription *CURFEW_NULLABLE out_subscription,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Observes an event, which need not be declared yet, or all events when selector is NULL; then it
 * receives those that a wait takes as well. Returns CURFEW_OK or CURFEW_INVALID.
 */
curfew_status curfew_host_observe(curfew_host *host, const char *CURFEW_NULLABLE selector,
                                  curfew_event_function function,
                                  void *CURFEW_NULLABLE event_data,
                                  curfew_subscription *CURFEW_NULLABLE out_subscription,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Ends a subscription. On return its function is not running and will not be called, unless the
 * caller is inside it. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_unsubscribe(curfew_host *host, curfew_subscription subscription,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Expects an event: the next one that matches is kept for curfew_host_collect_event, and
 * subscribers to that selector do not receive it. Expect first, then launch, and no event can be
 * missed.
 *
 * task:    only events about this task; 0: about any or none. Expectations with a task come first.
 * context: an expectation with the same selector, task and context replaces the older one, whose
 *          wait returns CURFEW_REPLACED. Pass an address of your own to be independent.
 *
 * Collect every expectation once, also a replaced one: 65,536 may be open.
 *
 * Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED or CURFEW_CLOSING.
 */
curfew_status curfew_host_expect_event(curfew_host *host, const char *selector, curfew_task task,
                                       const void *CURFEW_NULLABLE context,
                                       curfew_subscription *out_expectation,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/*
 * Waits for an expected event, for `timeout_ns` of real time at most, and ends the expectation. On
 * the loop's own thread it dispatches events meanwhile. *out_event is the caller's, until
 * curfew_event_free. Returns CURFEW_OK, CURFEW_TIMED_OUT, CURFEW_REPLACED, CURFEW_CLOSING,
 * CURFEW_NOT_FOUND, CURFEW_WRONG_THREAD (on a worker or a deadline thread), or CURFEW_EXHAUSTED at
 * 256 waits inside each other's events: then the expectation stays.
 */
curfew_status curfew_host_collect_event(curfew_host *host, curfew_subscription expectation,
                                        uint64_t timeout_ns,
                                        curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_event,
                                        curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Expects an event and collects it. Returns as curfew_host_expect_event and
 * curfew_host_collect_event. */
curfew_status curfew_host_wait_event(curfew_host *host, const char *selector, curfew_task task,
                                     const void *CURFEW_NULLABLE context, uint64_t timeout_ns,
                                     curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_event,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Frees an event that a call returned to the caller. NULL is a no-op. */
void curfew_event_free(curfew_event *CURFEW_NULLABLE event) CURFEW_TAG(any, any);

/* Returns the task that the event being delivered on this thread is about, or 0. */
curfew_task curfew_host_get_sender(curfew_host *host) CURFEW_TAG(loop, any);

/* Queues an event of the embedder's own, about no task. The parameters are copied. The first
 * raise of a selector fixes the types of its parameters for the life of the host: int32 is not
 * int64. Names that a handler declares or the host reserves are refused. Returns CURFEW_OK,
 * CURFEW_DENIED, CURFEW_INVALID (no selector, or other types than in the first raise),
 * CURFEW_BUSY, CURFEW_EXHAUSTED (32,768 undeclared names) or CURFEW_CLOSING. */
curfew_status curfew_host_raise_event(curfew_host *host, const char *selector,
                                      const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Returns a descriptor for poll(2) or epoll(7), readable while events are queued. It is the host's:
 * never read or close it. -1 without manual_dispatch. */
int32_t curfew_host_get_event_fd(curfew_host *host) CURFEW_TAG(any, any);

/* Makes the descriptor of curfew_host_get_event_fd readable once, though no event is queued, until
 * the next curfew_host_dispatch. Async-signal-safe (signal-safety(7)), and preserves errno: a
 * signal handler sets a flag and calls this. */
void curfew_host_wake(curfew_host *host) CURFEW_TAG(any, any);

/*
 * Delivers up to `limit` queued events (0: those that are queued now) on this thread, which becomes
 * the loop's. *out_count is the number of delivered ones. Returns CURFEW_OK, CURFEW_WRONG_STATE
 * (the host has an event thread, and shutdown is not over), or CURFEW_WRONG_THREAD (another thread
 * is dispatching, or this one is inside an event).
 */
curfew_status curfew_host_dispatch(curfew_host *host, uint32_t limit,
                                   uint32_t *CURFEW_NULLABLE out_count,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

CURFEW_END_DECLS

#endif /* CURFEW_EVENTS_H */
