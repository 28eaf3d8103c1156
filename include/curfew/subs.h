/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/subs.h: targets of events with subs, waits and resumable subs, as B4X has them. In short:
 *
 *     static curfew_status tidy_done(void *data, const curfew_target_event *event, curfew_value *out,
 *                                    curfew_error *error) { … return CURFEW_OK; }
 *     static void went_on(void *data, curfew_status status, const curfew_target_event *event) { … }
 *
 *     curfew_target_create(host, "main", NULL, &main, NULL);
 *     curfew_target_add_sub(host, main, "tidy_done::", tidy_done, NULL, NULL);
 *     curfew_target_post(host, main, "tidy_done::", values, 2, NULL, NULL);
 *     curfew_target_wait_for(host, main, "other:", NULL, went_on, NULL, NULL, NULL);
 *
 * A target is a module or an instance of a class: it has subs, keyed by name and number of
 * parameters, and waits of its own. Its subs and continuations are called on the thread that turns
 * the host's event loop, one at a time and in the order of the events, with no lock held. An event
 * goes to the one who waits for it in that target, else to its sub, else it is counted as untaken.
 * Names match only with their number of parameters: `x_done`, `x_done:` and `x_done::` are three.
 *
 * What a language with pauses writes after a wait is a function here, its continuation. Every
 * continuation is called exactly once: with the event and CURFEW_OK, or with
 *
 *     CURFEW_REPLACED   a newer wait for the same event and sender took its place
 *     CURFEW_TIMED_OUT  its limit passed
 *     CURFEW_NOT_FOUND  it was given up
 *     CURFEW_STALE      the sender was forgotten
 *     CURFEW_CLOSING    the target was closed, or the host is shutting down
 *     CURFEW_FAILED     of a completion: the resumable sub failed; the event has its text
 *
 * Whatever is queued here counts as an event where curfew_host_dispatch is given a limit. Where the
 * embedder turns the loop, those of a shutdown are called by the shutdown on the loop's
 * own thread, else by the next dispatch, or while the host is destroyed. Calls that take a target
 * answer CURFEW_NOT_FOUND once it was closed.
 */
#ifndef CURFEW_SUBS_H
#define CURFEW_SUBS_H

#include "host.h"
#include "types.h"

CURFEW_BEGIN_DECLS

/* A target of a host; a number that is never used again. 0 is none. */
typedef uint64_t curfew_target;

/* A wait or a sleep in a target; 0 is none. */
typedef uint64_t curfew_target_wait;

/* One call of a sub that may pause: its instance; 0 is none. */
typedef uint64_t curfew_resumable;

/* An event as a target gets it; the host's, valid during the call. */
typedef struct curfew_target_event {
    uint32_t struct_size;
    uint32_t count;                     /* of values */
    const char *selector;               /* as it was raised */
    const curfew_value *values;         /* texts are NUL-terminated too */
    curfew_task task;                   /* the sender of an event of the host's, or 0 */
    curfew_resumable resumable;         /* the sender of a completion, or 0 */
    const void *CURFEW_NULLABLE sender; /* what the raiser gave; never followed */
    bool queued;                        /* false: raised at once */
    uint8_t reserved[7];
} curfew_target_event;

/* What stands behind a target's subs. */
typedef int32_t curfew_target_kind;
enum {
    CURFEW_TARGET_MODULE = 0, /* a call of a sub it does not have is ignored */
    CURFEW_TARGET_CLASS = 1   /* it is an error: CURFEW_NOT_FOUND */
};

/* Is told of an event that nobody took; `is_paused`: it was ignored since the target was paused. */
typedef void (*curfew_target_unhandled_function)(void *CURFEW_NULLABLE target_data,
                                        const curfew_target_event *event, bool is_paused)
    CURFEW_TAG(loop, any);

/* What a target is made with. All zero but struct_size is a module. */
typedef struct curfew_target_options {
    uint32_t struct_size;
    curfew_target_kind kind;
    bool takes_host_events; /* the host's events are for it too, as for a subscriber */
    uint8_t reserved[7];    /* 0 */
    curfew_target_unhandled_function CURFEW_NULLABLE untaken;
    void *CURFEW_NULLABLE target_data;
} curfew_target_options;

/* Makes a target; `name`, 1…128 bytes, is for messages. Returns CURFEW_OK, CURFEW_INVALID,
 * CURFEW_EXHAUSTED (65,536 at a time) or CURFEW_CLOSING. */
curfew_status curfew_target_create(curfew_host *host, const char *name,
                                   const curfew_target_options *CURFEW_NULLABLE options,
                                   curfew_target *out_target, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Closes a target. On return no sub of it is running or will be called, unless the caller is inside
 * one; who waits is told CURFEW_CLOSING in its turn on the loop. Returns CURFEW_OK or
 * CURFEW_NOT_FOUND. */
curfew_status curfew_target_close(curfew_host *host, curfew_target target) CURFEW_TAG(any, any);

/* From now on the events of a target are dropped, counted and told as ignored; waits go on. Returns
 * CURFEW_OK, CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_pause(curfew_host *host, curfew_target target) CURFEW_TAG(any, any);

/* Undoes curfew_target_pause; what was dropped stays so. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_CLOSING. */
curfew_status curfew_target_resume(curfew_host *host, curfew_target target) CURFEW_TAG(any, any);

/* What a target has counted. */
typedef struct curfew_target_counts {
    uint32_t struct_size; /* set by the caller */
    uint32_t reserved;
    uint64_t called;      /* events for which a sub was called */
    uint64_t resumed;     /* events that resumed one who waited */
    uint64_t untaken;     /* events that nobody wanted */
    uint64_t paused;      /* events that were ignored since the target was paused */
    uint64_t failed;      /* errors out of subs that nobody took; each is in the log */
} curfew_target_counts;

/* Fills *out_counts. Returns CURFEW_OK, CURFEW_INVALID or CURFEW_NOT_FOUND. */
curfew_status curfew_target_get_counts(curfew_host *host, curfew_target target,
                                        curfew_target_counts *out_counts) CURFEW_TAG(any, any);

/* --- Subs ---------------------------------------------------------------------------------- */

/*
 * A sub. To return a value it sets the type of *out_value, which is 0, and the member for it; a
 * text is copied right after the call. Another answer than CURFEW_OK is an error with the text that
 * was written to *error: it is returned to the sub that called this one, else it goes to the
 * target's sub `application_error::` (text error, text selector). Without one, or when that returns
 * true or fails, it is logged and counted. The process goes on in any case.
 */
typedef curfew_status (*curfew_target_sub_function)(void *CURFEW_NULLABLE sub_data,
                                             const curfew_target_event *event, curfew_value *out_value,
                                             curfew_error *error) CURFEW_TAG(loop, any);

/* Adds a sub, by its name in whatever case and one colon per parameter. Returns CURFEW_OK,
 * CURFEW_INVALID, CURFEW_EXISTS, CURFEW_EXHAUSTED (4,096) or CURFEW_NOT_FOUND. */
curfew_status curfew_target_add_sub(curfew_host *host, curfew_target target, const char *selector,
                                    curfew_target_sub_function function, void *CURFEW_NULLABLE sub_data,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* True when there is a sub of that name, in whatever case, with so many parameters. */
bool curfew_target_has_sub(curfew_host *host, curfew_target target, const char *name,
                              uint32_t parameters) CURFEW_TAG(any, any);

/*
 * Raises an event at once: B4X's raiseEvent. The name is used as given, and no sub's name has
 * capitals. `sender` is any address, or NULL. *out_result is an event of the caller's that carries
 * the sub's value, to be given to curfew_event_free; NULL when there is none. Where the embedder
 * turns the loop, its thread may call this outside of dispatching too.
 *
 * Returns CURFEW_OK, CURFEW_INVALID (other than one colon for each value), CURFEW_WRONG_THREAD,
 * CURFEW_NOT_FOUND, and inside a sub what the sub returned.
 */
curfew_status curfew_target_raise(curfew_host *host, curfew_target target, const char *selector,
                                  const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                  const void *CURFEW_NULLABLE sender,
                                  curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_result,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(loop, any);

/* Queues an event: B4X's raiseUIEvent. Returns at once with CURFEW_OK, CURFEW_INVALID, CURFEW_BUSY
 * (too many events wait), CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_post(curfew_host *host, curfew_target target, const char *selector,
                                 const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                 const void *CURFEW_NULLABLE sender,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Calls a sub at once by its name, in whatever case and without colons, with at most two values;
 * one who waits for it takes the call. Returns as curfew_target_raise does, CURFEW_NOT_FOUND also
 * where an instance of a class has no such sub, and always what the sub returned. */
curfew_status curfew_target_call(curfew_host *host, curfew_target target, const char *name,
                                 const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                 curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_result,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(loop, any);

/* The same, queued: B4X's CallSubDelayed. A sub that is missing is an error out of a sub then.
 * Returns as curfew_target_post does. */
curfew_status curfew_target_call_delayed(curfew_host *host, curfew_target target, const char *name,
                                         const curfew_value *CURFEW_NULLABLE values, uint32_t count,
                                         curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Returns the sender of the event whose sub is running, as its raiser gave it; NULL otherwise, also
 * in a continuation, whose event has it. */
const void *CURFEW_NULLABLE curfew_target_get_sender(curfew_host *host, curfew_target target)
    CURFEW_TAG(loop, any);

/* --- Pauses -------------------------------------------------------------------------------- */

/* Goes on after a pause, once. `event` is NULL unless status is CURFEW_OK or CURFEW_FAILED, and
 * after a sleep. */
typedef void (*curfew_target_continuation)(void *CURFEW_NULLABLE wait_data, curfew_status status,
                                    const curfew_target_event *CURFEW_NULLABLE event)
    CURFEW_TAG(loop, any);

/* What a wait is for. All zero but struct_size: any sender, no limit. */
typedef struct curfew_target_wait_options {
    uint32_t struct_size;
    uint32_t reserved;                  /* 0 */
    curfew_task task;                   /* only events about this task; or 0 */
    const void *CURFEW_NULLABLE sender; /* only events of this very sender; not both */
    uint64_t limit_ns;                  /* on the host's clock; 0: none */
} curfew_target_wait_options;

/*
 * Waits for an event, in place of an older wait for the same event and sender. Waits for one sender
 * come before those for any. Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED (65,536 in a
 * target), CURFEW_NOT_FOUND or CURFEW_CLOSING; then the continuation is not called.
 */
curfew_status curfew_target_wait_for(curfew_host *host, curfew_target target, const char *selector,
                                     const curfew_target_wait_options *CURFEW_NULLABLE options,
                                     curfew_target_continuation continuation,
                                     void *CURFEW_NULLABLE wait_data,
                                     curfew_target_wait *CURFEW_NULLABLE out_wait,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Goes on at least so many milliseconds of the host's clock later; 0: in the loop's next turn.
 * Returns CURFEW_OK, CURFEW_EXHAUSTED, CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_sleep(curfew_host *host, curfew_target target, uint64_t milliseconds,
                                  curfew_target_continuation continuation,
                                  void *CURFEW_NULLABLE wait_data,
                                  curfew_target_wait *CURFEW_NULLABLE out_wait)
    CURFEW_TAG(any, open);

/* Gives up a wait or a sleep; its continuation is told CURFEW_NOT_FOUND in its turn. Returns
 * CURFEW_OK, or CURFEW_NOT_FOUND when it is over. */
curfew_status curfew_target_cancel_wait(curfew_host *host, curfew_target target,
                                    curfew_target_wait wait) CURFEW_TAG(any, any);

/* Ends all waits for one sender, before its address is used for something else; they are told
 * CURFEW_STALE. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_target_forget_sender(curfew_host *host, curfew_target target,
                                          const void *sender) CURFEW_TAG(any, any);

/* --- Resumable subs ------------------------------------------------------------------------ */

/* A resumable sub begins: whoever called it is given *out_resumable, to wait for its completion.
 * Returns CURFEW_OK, CURFEW_EXHAUSTED (65,536 that have not completed) or CURFEW_NOT_FOUND. */
curfew_status curfew_target_begin_resumable(curfew_host *host, curfew_target target,
                                  curfew_resumable *out_resumable) CURFEW_TAG(any, any);

/* It returns, with a value or none. Its completion is queued, never delivered at once: the event
 * `complete:` with the instance as sender. Returns CURFEW_OK, CURFEW_ALREADY (it has returned),
 * CURFEW_INVALID or CURFEW_NOT_FOUND. */
curfew_status curfew_target_finish_resumable(curfew_host *host, curfew_target target,
                                   curfew_resumable resumable,
                                   const curfew_value *CURFEW_NULLABLE value) CURFEW_TAG(any, any);

/* It fails: who waits for it is told, or else application_error::. Returns as
 * curfew_target_finish_resumable does. */
curfew_status curfew_target_fail_resumable(curfew_host *host, curfew_target target,
                                 curfew_resumable resumable, const char *message)
    CURFEW_TAG(any, any);

/* Waits until a resumable sub completes. Of the options only the limit counts. Returns as
 * curfew_target_wait_for does, and CURFEW_ALREADY when it has completed before. */
curfew_status curfew_target_wait_for_resumable(curfew_host *host, curfew_target target,
                                     curfew_resumable resumable,
                                     const curfew_target_wait_options *CURFEW_NULLABLE options,
                                     curfew_target_continuation continuation,
                                     void *CURFEW_NULLABLE wait_data,
                                     curfew_target_wait *CURFEW_NULLABLE out_wait,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

CURFEW_END_DECLS

#endif /* CURFEW_SUBS_H */
