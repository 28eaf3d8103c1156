/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/b4x/waits.h: Wait For, Sleep and resumable subs of a target, as in B4X.
 *
 * In B4X a sub pauses at Wait For or Sleep. In C the rest of the sub is a function of its own, the
 * continuation, which is called on the loop's thread exactly once: with the event and CURFEW_OK, or
 * with
 *
 *     CURFEW_REPLACED   a newer wait for the same event and sender replaced this one
 *     CURFEW_TIMED_OUT  its timeout passed
 *     CURFEW_NOT_FOUND  it was cancelled
 *     CURFEW_STALE      the sender was forgotten
 *     CURFEW_CLOSING    the target was closed, or the host is shutting down
 *     CURFEW_FAILED     of a completion: the resumable sub failed; the event has its text
 */
#ifndef CURFEW_B4X_WAITS_H
#define CURFEW_B4X_WAITS_H

#include "targets.h"

CURFEW_BEGIN_DECLS

/* A wait or a sleep of a target; 0 is none. */
typedef uint64_t curfew_target_wait;

/* Continues after a wait or a sleep. `event` is NULL after a sleep, and unless status is CURFEW_OK
 * or CURFEW_FAILED. */
typedef void (*curfew_target_continuation)(void *CURFEW_NULLABLE wait_data, curfew_status status,
                                           const curfew_target_event *CURFEW_NULLABLE event)
    CURFEW_TAG(loop, any);

/* The options of a wait. All zero but struct_size: any sender, no timeout. */
typedef struct curfew_target_wait_options {
    uint32_t struct_size;
    uint32_t reserved;                  /* 0 */
    curfew_task task;                   /* only events about this task; or 0 */
    const void *CURFEW_NULLABLE sender; /* only events of this sender; not both */
    uint64_t timeout_ns;                /* on the host's clock; 0: none */
} curfew_target_wait_options;

/*
 * Waits for an event, and replaces an older wait for the same event and sender. Waits for one
 * sender come before those for any. Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED (65,536 in
 * a target), CURFEW_NOT_FOUND or CURFEW_CLOSING. The continuation is called only after CURFEW_OK.
 */
curfew_status curfew_target_wait_for(curfew_host *host, curfew_target target, const char *selector,
                                     const curfew_target_wait_options *CURFEW_NULLABLE options,
                                     curfew_target_continuation continuation,
                                     void *CURFEW_NULLABLE wait_data,
                                     curfew_target_wait *CURFEW_NULLABLE out_wait,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Continues after at least `duration_ns` of the host's clock; 0: when the loop runs next. Returns
 * CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED, CURFEW_NOT_FOUND or CURFEW_CLOSING. */
curfew_status curfew_target_sleep(curfew_host *host, curfew_target target, uint64_t duration_ns,
                                  curfew_target_continuation continuation,
                                  void *CURFEW_NULLABLE wait_data,
                                  curfew_target_wait *CURFEW_NULLABLE out_wait,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Cancels a wait or a sleep; the loop calls its continuation with CURFEW_NOT_FOUND. Returns
 * CURFEW_OK, or CURFEW_NOT_FOUND where it is over. */
curfew_status curfew_target_cancel_wait(curfew_host *host, curfew_target target,
                                        curfew_target_wait wait,
                                        curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Ends all waits for one sender with CURFEW_STALE; call it before the address is reused. Returns
 * CURFEW_OK, CURFEW_INVALID (`sender` is NULL) or CURFEW_NOT_FOUND. */
curfew_status curfew_target_forget_sender(curfew_host *host, curfew_target target,
                                          const void *sender, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* --- Resumable subs ------------------------------------------------------------------------ */

/* Begins a call of a resumable sub. The sub returns *out_resumable to its caller, to wait for its
 * completion. Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED (65,536 that have not completed)
 * or CURFEW_NOT_FOUND. */
curfew_status curfew_target_begin_resumable(curfew_host *host, curfew_target target,
                                            curfew_resumable *out_resumable,
                                            curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Finishes a resumable sub, with a value or NULL. Its completion is queued, never delivered at
 * once: the event `complete:` with the resumable as sender. Returns CURFEW_OK, CURFEW_ALREADY (it
 * has finished), CURFEW_INVALID or CURFEW_NOT_FOUND. */
curfew_status curfew_target_finish_resumable(curfew_host *host, curfew_target target,
                                             curfew_resumable resumable,
                                             const curfew_value *CURFEW_NULLABLE value,
                                             curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Fails a resumable sub: the wait for its completion ends with CURFEW_FAILED; where there is none,
 * its text goes to application_error::. Returns as curfew_target_finish_resumable. */
curfew_status curfew_target_fail_resumable(curfew_host *host, curfew_target target,
                                           curfew_resumable resumable, const char *text,
                                           curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Waits until a resumable sub completes. Of the options only the timeout counts. Returns as
 * curfew_target_wait_for, and CURFEW_ALREADY where it has completed. */
curfew_status curfew_target_wait_for_resumable(
    curfew_host *host, curfew_target target, curfew_resumable resumable,
    const curfew_target_wait_options *CURFEW_NULLABLE options,
    curfew_target_continuation continuation, void *CURFEW_NULLABLE wait_data,
    curfew_target_wait *CURFEW_NULLABLE out_wait, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

CURFEW_END_DECLS

#endif /* CURFEW_B4X_WAITS_H */
