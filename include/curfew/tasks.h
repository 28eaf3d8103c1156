/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/tasks.h: launch handlers, and stop, pause, observe and await their tasks.
 *
 * A task whose last reference is gone is stale: every call that takes it returns CURFEW_STALE.
 * Launch with `keep` to read its outcome afterwards, and release it with curfew_host_release_task.
 */
#ifndef CURFEW_TASKS_H
#define CURFEW_TASKS_H

#include "types.h"

CURFEW_BEGIN_DECLS

/* The options of a launch. */
typedef struct curfew_launch_options {
    uint32_t struct_size;

    /* Takes a reference for the launcher: the id, its outcome and its result stay readable until
     * curfew_host_release_task. */
    bool keep;
    uint8_t reserved[3]; /* 0 */

    const void *CURFEW_NULLABLE payload; /* copied */
    uint64_t payload_bytes;
    uint64_t budget_ns; /* default: the handler's; at most 24 h */
    uint64_t grace_ns;  /* default: the handler's; at most 24 h */
    uint32_t attempt;   /* default: 1 */
    uint32_t reserved2; /* 0 */
} curfew_launch_options;

/*
 * Launches a handler: adds a task to its queue. Never blocks.
 *
 * Returns CURFEW_OK; CURFEW_NOT_FOUND; CURFEW_BUSY (its queue is full), CURFEW_EXHAUSTED (task or
 * lost-worker limit, or no memory for the payload), CURFEW_QUARANTINED, CURFEW_TOO_LARGE (payload),
 * CURFEW_INVALID or CURFEW_CLOSING. Unless CURFEW_OK, nothing was launched and no event follows.
 */
curfew_status curfew_host_launch(curfew_host *host, const char *identifier,
                                 const curfew_launch_options *CURFEW_NULLABLE options,
                                 curfew_task *CURFEW_NULLABLE out_task,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Launches the handler at `index`, without a look-up. Returns as curfew_host_launch. */
curfew_status curfew_host_launch_by_index(curfew_host *host, uint32_t index,
                                          const curfew_launch_options *CURFEW_NULLABLE options,
                                          curfew_task *CURFEW_NULLABLE out_task,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/*
 * Cancels a task. One that has not started never will, and its done event follows at once; one
 * that runs is told to stop with CURFEW_REASON_CANCELLED. Returns CURFEW_OK, CURFEW_ALREADY (it is
 * over, or was told to stop before) or CURFEW_STALE.
 */
curfew_status curfew_host_cancel_task(curfew_host *host, curfew_task task,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Tells a running task to stop, with CURFEW_REASON_CONDITION or CURFEW_REASON_HOST. Its outcome
 * will be CURFEW_OUTCOME_EXPIRED. Returns CURFEW_OK, CURFEW_ALREADY (it is over, or was told to
 * stop before), CURFEW_STALE, CURFEW_INVALID (another reason) or CURFEW_WRONG_STATE (it has not
 * started: cancel it).
 */
curfew_status curfew_host_stop_task(curfew_host *host, curfew_task task, curfew_reason reason,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Pauses a task that has not started; others of its handler overtake it. Returns CURFEW_OK,
 * CURFEW_WRONG_STATE (it has started), CURFEW_ALREADY or CURFEW_STALE. */
curfew_status curfew_host_pause_task(curfew_host *host, curfew_task task,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Resumes a paused task, at the end of its handler's queue if it was overtaken. Returns CURFEW_OK,
 * CURFEW_WRONG_STATE (it is not paused), CURFEW_BUSY (the queue is full; it stays paused),
 * CURFEW_ALREADY or CURFEW_STALE. */
curfew_status curfew_host_resume_task(curfew_host *host, curfew_task task,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* The phase of a task's life. */
typedef int32_t curfew_task_phase;
enum {
    CURFEW_TASK_PHASE_QUEUED = 1,
    CURFEW_TASK_PHASE_PAUSED = 2,   /* queued, and paused */
    CURFEW_TASK_PHASE_RUNNING = 3,  /* inside its function */
    CURFEW_TASK_PHASE_PENDING = 4,  /* its function has returned CURFEW_PENDING */
    CURFEW_TASK_PHASE_STOPPING = 5, /* told to stop and not answered yet; or its end is being stored */
    CURFEW_TASK_PHASE_OVER = 6
};

/* The state of a task. */
typedef struct curfew_task_state {
    uint32_t struct_size; /* set by the caller */
    curfew_task_phase phase;
    curfew_outcome outcome;
    curfew_reason reason;
    bool answered;       /* after it was told to stop, it answered within its grace */
    bool returned;       /* its function has returned, or was never entered */
    bool end_waits;      /* it is over, but the store could not record the end of its request yet: the
                            host tries again, and the outcome and the done event follow then. Where the
                            host is shut down before, the store has an interrupted launch, and the next
                            host launches the request again */
    uint8_t reserved;
    uint32_t attempt;
    const char *identifier; /* the host's, valid until it is destroyed */
    uint64_t started_ns;    /* monotonic time of the host's clock; 0: not started */
    uint64_t budget_ns;
    uint64_t grace_ns;
    double progress;        /* the last reported fraction, or 0 */
    uint64_t error_bytes;   /* length of its error text; see curfew_host_read_task_error */
    uint64_t result_bytes;  /* length of its result; see curfew_host_read_task_result */
} curfew_task_state;

/* Fills *out_state. Returns CURFEW_OK, CURFEW_STALE or CURFEW_INVALID. */
curfew_status curfew_host_get_task(curfew_host *host, curfew_task task,
                                   curfew_task_state *out_state,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Waits until the task is over, for `timeout_ns` of real time at most, and fills *out_state. On the
 * loop's own thread it dispatches events meanwhile. Returns CURFEW_OK, CURFEW_TIMED_OUT,
 * CURFEW_STALE, CURFEW_INVALID, CURFEW_WRONG_THREAD (on a worker or a deadline thread),
 * CURFEW_CLOSING when shutdown begins, or CURFEW_EXHAUSTED at 256 waits inside each other's events.
 */
curfew_status curfew_host_wait_task(curfew_host *host, curfew_task task, uint64_t timeout_ns,
                                    curfew_task_state *CURFEW_NULLABLE out_state,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Copies the result of a task that is over to `buffer`, the caller's. *out_bytes is its whole
 * length. Returns CURFEW_OK, CURFEW_TOO_LARGE (the first `capacity_bytes` were copied),
 * CURFEW_WRONG_STATE (the task is not over) or CURFEW_STALE. */
curfew_status curfew_host_read_task_result(curfew_host *host, curfew_task task,
                                           void *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                           uint64_t *CURFEW_NULLABLE out_bytes,
                                           curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Copies the error text of a task that is over, that of its done event; "" after success. No NUL is
 * added. Returns as curfew_host_read_task_result. */
curfew_status curfew_host_read_task_error(curfew_host *host, curfew_task task,
                                          char *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                          uint64_t *CURFEW_NULLABLE out_bytes,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Takes a reference for the embedder. Returns CURFEW_OK, CURFEW_STALE or CURFEW_EXHAUSTED (30 at a
 * time). */
curfew_status curfew_host_keep_task(curfew_host *host, curfew_task task,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Releases a reference of the embedder's: the launcher's, or one of curfew_host_keep_task. Returns
 * CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE where the embedder holds none. */
curfew_status curfew_host_release_task(curfew_host *host, curfew_task task,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_TASKS_H */
