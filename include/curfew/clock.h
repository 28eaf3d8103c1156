/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/clock.h: a manual clock, with which a test owns time.
 *
 * A manual clock stands still until it is advanced. Give it to hosts in their configuration, and
 * destroy it after the last of them. Its monotonic time begins at 1 s, its date at 2026-01-01
 * 00:00:00.
 */
#ifndef CURFEW_CLOCK_H
#define CURFEW_CLOCK_H

#include "types.h"

CURFEW_BEGIN_DECLS

/* A manual clock. Made by curfew_clock_create, freed by curfew_clock_destroy. */
typedef struct curfew_clock curfew_clock;

/* Makes a manual clock. *out_clock is the caller's. Returns CURFEW_OK, or CURFEW_INVALID
 * where out_clock is NULL. */
curfew_status curfew_clock_create(curfew_clock *CURFEW_NULLABLE *CURFEW_NULLABLE out_clock,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Advances the clock by `duration_ns` and stops at every deadline on the way, in order. Returns
 * after everything that came due has been delivered: expiration callbacks have returned, outcomes
 * are recorded, and their events are queued, or delivered where the host has an event thread. A
 * callback or a receiver that does not return keeps this call from returning. A function that has
 * completed its task has up to 1 s of real time to return before time passes.
 * Returns CURFEW_OK, or CURFEW_WRONG_THREAD from inside a host that uses the clock.
 */
curfew_status curfew_clock_advance(curfew_clock *clock, uint64_t duration_ns,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

/* Returns the clock's monotonic time. */
uint64_t curfew_clock_get_now_ns(const curfew_clock *clock) CURFEW_TAG(any, any);

/* Sets the clock's date, as settimeofday(2) sets that of a machine: no time passes. Returns as
 * curfew_clock_advance, and CURFEW_INVALID for a date before 1970 or after 2232-04-18, to which
 * Linux cannot be set either. */
curfew_status curfew_clock_set_wall_ns(curfew_clock *clock, int64_t wall_ns,
                                       curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(outside, any);

/* Frees the clock. NULL is a no-op. Returns CURFEW_OK, or CURFEW_WRONG_STATE while a host uses it.
 * */
curfew_status curfew_clock_destroy(curfew_clock *CURFEW_NULLABLE clock,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_CLOCK_H */
