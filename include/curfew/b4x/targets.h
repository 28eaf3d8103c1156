/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/b4x/targets.h: targets of events and their subs, as in B4X. In short:
 *
 *     static curfew_status tidy_done(void *sub_data, const curfew_target_event *event,
 *                                    curfew_value *out_value, curfew_error *host_error) { … }
 *
 *     curfew_target_create(host, "main", NULL, &main, &error);
 *     curfew_target_add_sub(host, main, "tidy_done::", tidy_done, NULL, &error);
 *     curfew_target_post(host, main, "tidy_done::", values, 2, NULL, &error);
 *
 * A target is a module or an instance of a class. It has subs (event handlers), keyed by name and
 * number of parameters, and waits (see waits.h). They are called on the loop's thread, one at a
 * time and in the order of the events, with no lock held. An event goes to the target's wait for
 * it, else to its sub, else it is counted as unhandled. A name matches only with its number of
 * parameters: `x_done`, `x_done:` and `x_done::` are three.
 *
 * Everything queued here counts as an event in curfew_host_dispatch. With manual_dispatch, what a
 * shutdown leaves is called by the shutdown on the loop's own thread, else by the next dispatch, or
 * while the host is destroyed. Calls that take a closed target return CURFEW_NOT_FOUND.
 */
#ifndef CURFEW_B4X_TARGETS_H
#define CURFEW_B4X_TARGETS_H

#include "../events.h"
#include "../types.h"

CURFEW_BEGIN_DECLS

/* A target of a host; a number that is never reused. 0 is none. */
typedef uint64_t curfew_target;

/* One call of a resumable sub; see waits.h. 0 is none. */
typedef uint64_t curfew_resumable;

/* An event that a target receives; the host's, valid during the call. */
typedef struct curfew_target_event {
    uint32_t struct_size;
    uint32_t count;                     /* of values */
    const char *selector;               /* as it was raised */
    const curfew_value *values;         /* texts end with NUL as well */
    curfew_task task;                   /* the sender of an event of the host's, or 0 */
    curfew_resumable resumable;         /* the sender of a completion, or 0 */
    const void *CURFEW_NULLABLE sender; /* as the raiser passed it; never dereferenced */
    bool queued;                        /* false: raised at once */
    uint8_t reserved[7];
} curfew_target_event;

/* The kind of a target. */
typedef int32_t curfew_target_kind;
enum {
    CURFEW_TARGET_MODULE = 0, /* a call of a missing sub is ignored */
    CURFEW_TARGET_CLASS = 1   /* a call of a missing sub returns CURFEW_NOT_FOUND */
};

/* Receives an event that has neither a wait nor a sub; or, where `is_paused`, one that was dropped
 * because the target was paused. */
typedef void (*curfew_target_unhandled_function)(void *CURFEW_NULLABLE target_data,
                                                 const curfew_target_event *event, bool is_paused)
    CURFEW_TAG(loop, any);

/* The options of a target. All zero but struct_size is a module. */
typedef struct curfew_target_options {
    uint32_t struct_size;
    curfew_target_kind kind;
    bool takes_host_events; /* receives the host's events too, as a subscriber does */
    uint8_t reserved[7];    /* 0 */
    curfew_target_unhandled_function CURFEW_NULLABLE unhandled;
    void *CURFEW_NULLABLE target_data;
} curfew_target_options;

/* Makes a target. `name`, 1…128 bytes, is for messages. Returns CURFEW_OK, CURFEW_INVALID,
 * CURFEW_EXHAUSTED (65,536 at a time) or CURFEW_CLOSING. */
curfew_status curfew_target_create(curfew_host *host, const char *name,
                                   const curfew_target_options *CURFEW_NULLABLE options,
                                   curfew_target *out_target, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Closes a target. On return no sub of it is running or will be called, unless the caller is inside
 * one. Its waits end with CURFEW_CLOSING on the loop. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_target_close(curfew_host *host, curfew_target target,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Pauses a target: its events are dropped, counted, and passed to its unhandled function; waits go
 * on. Returns CURFEW_OK, CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_pause(curfew_host *host, curfew_target target,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Resumes a target for events from now on. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_CLOSING. */
curfew_status curfew_target_resume(curfew_host *host, curfew_target target,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* The counters of a target. */
typedef struct curfew_target_counts {
    uint32_t struct_size; /* set by the caller */
    uint32_t reserved;
    uint64_t called;      /* events for which a sub was called */
    uint64_t resumed;     /* events that ended a wait */
    uint64_t unhandled;   /* events without a wait or a sub */
    uint64_t paused;      /* events that were dropped because the target was paused */
    uint64_t failed;      /* errors of subs that were not handled; each is in the log */
} curfew_target_counts;

/* Fills *out_counts. Returns CURFEW_OK, CURFEW_INVALID or CURFEW_NOT_FOUND. */
curfew_status curfew_target_get_counts(curfew_host *host, curfew_target target,
                                       curfew_target_counts *out_counts,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * A sub. To return a value it sets the type of *out_value, which is 0, and the member for it; a
 * text is copied right after the call.
 *
 * A status other than CURFEW_OK is an error with the text that was written to *host_error. It is
 * returned to the sub that called this one, else passed to the target's sub `application_error::`
 * (text error, text selector). Where that is missing, returns true or fails, the error is logged
 * and counted. The process goes on in any case.
 */
typedef curfew_status (*curfew_target_sub_function)(void *CURFEW_NULLABLE sub_data,
                                                    const curfew_target_event *event,
                                                    curfew_value *out_value,
                                                    curfew_error *host_error)
    CURFEW_TAG(loop, any);

/* Adds a sub by its name, whose case does not matter, and one colon per parameter. Returns
 * CURFEW_OK, CURFEW_INVALID, CURFEW_EXISTS, CURFEW_EXHAUSTED (4,096) or CURFEW_NOT_FOUND. */
curfew_status curfew_target_add_sub(curfew_host *host, curfew_target target, const char *selector,
                                    curfew_target_sub_function function,
                                    void *CURFEW_NULLABLE sub_data,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Returns whether a target has a sub of that name, whose case does not matter, with that many
 * parameters. */
bool curfew_target_has_sub(curfew_host *host, curfew_target target, const char *name,
                           uint32_t parameters) CURFEW_TAG(any, any);

/*
 * Raises an event at once: B4X's raiseEvent. The name is used as given, and no sub's name has
 * capitals. `sender` is any address, or NULL. *out_result is an event that carries the sub's value,
 * the caller's until curfew_event_free; NULL where there is none. With manual_dispatch the loop's
 * thread may call this outside of dispatching too.
 *
 * Returns CURFEW_OK, CURFEW_INVALID (other than one colon for each value), CURFEW_WRONG_THREAD,
 * CURFEW_NOT_FOUND, and inside a sub the status of the sub.
 */
curfew_status curfew_target_raise(curfew_host *host, curfew_target target, const char *selector,
                                  const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                  const void *CURFEW_NULLABLE sender,
                                  curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_result,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(loop, any);

/* Queues an event: B4X's raiseUIEvent. Returns at once with CURFEW_OK, CURFEW_INVALID, CURFEW_BUSY
 * (the queue is full), CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_post(curfew_host *host, curfew_target target, const char *selector,
                                 const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                 const void *CURFEW_NULLABLE sender,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Calls a sub at once by its name, whose case does not matter, without colons, with at most two
 * values; a wait for it takes the call. Returns as curfew_target_raise, CURFEW_NOT_FOUND also where
 * a class has no such sub, and always the status of the sub. */
curfew_status curfew_target_call(curfew_host *host, curfew_target target, const char *name,
                                 const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                 curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_result,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(loop, any);

/* Queues a call of a sub: B4X's CallSubDelayed. A missing sub is the error of a sub then. Returns
 * as curfew_target_post. */
curfew_status curfew_target_call_delayed(curfew_host *host, curfew_target target, const char *name,
                                         const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                         curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Returns the sender of the event whose sub is running, as its raiser passed it, else NULL. A
 * continuation finds it in its event. */
const void *CURFEW_NULLABLE curfew_target_get_sender(curfew_host *host, curfew_target target)
    CURFEW_TAG(loop, any);

CURFEW_END_DECLS

#endif /* CURFEW_B4X_TARGETS_H */
