/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/requests.h: submit requests, list and cancel them.
 *
 * A request asks for a launch "not before …, only when …", and is kept until it is launched or
 * cancelled, also where the process or the machine crashes in between. In short:
 *
 *     curfew_host_config config = {.struct_size = sizeof config, .store = "/var/lib/mine/requests"};
 *     curfew_submit_options later = {.struct_size = sizeof later,
 *                                    .after_ns = 900000000000, // in 15 minutes
 *                                    .needs = CURFEW_NEEDS_NETWORK};
 *     curfew_request request;
 *
 *     curfew_host_submit(host, "org.example.mirror", &later, &request, NULL, &error);
 *
 * Every call returns after its change is committed, and blocks meanwhile. Handlers and event
 * functions may call; the log function may not (CURFEW_WRONG_THREAD). Besides the statuses that are
 * listed, every call returns CURFEW_CLOSING, CURFEW_WRONG_THREAD, CURFEW_SYSTEM and, where the
 * store failed, one of the CURFEW_STORE_… statuses. Then nothing was changed, but for
 * CURFEW_STORE_UNKNOWN: the system failed while the change was written, and it is not known whether
 * it is stored. Submit again with the same key, which returns the existing request or makes one;
 * repeat any other call.
 */
#ifndef CURFEW_REQUESTS_H
#define CURFEW_REQUESTS_H

#include "types.h"

CURFEW_BEGIN_DECLS

/* A request's number in its store: 1, 2, 3, … in the order of submission, never reused. 0 is none.
 * */
typedef uint64_t curfew_request;

/* The conditions that a request needs while its task runs; to be combined. */
typedef uint32_t curfew_needs;
enum {
    CURFEW_NEEDS_NETWORK = 1,
    CURFEW_NEEDS_EXTERNAL_POWER = 2
};

/* What a submission does where a request of the same identifier is pending. A request whose task
 * runs is not pending: it goes on, with its remaining attempts and dates. */
typedef int32_t curfew_on_pending;
enum {
    CURFEW_ON_PENDING_REPLACE = 1, /* replaces the pending one, as on Apple's systems */
    CURFEW_ON_PENDING_KEEP = 2,    /* keeps the pending one, and drops the new one */
    CURFEW_ON_PENDING_ADD = 3      /* adds the new one; both are launched, one after the other; the
                                      default. Said explicitly inside a handler, it also means that
                                      the request is one of many, and is not throttled */
};

/* The state of the machine for which a request waits once it is due and its needs hold. It is a
 * wish: after at_most_ns the request is launched anyway. */
typedef int32_t curfew_opportunistic;
enum {
    CURFEW_OPPORTUNISTIC_NO = 0,   /* it does not wait; the default */
    CURFEW_OPPORTUNISTIC_IDLE = 1, /* no user is active at the machine, and as CALM */
    CURFEW_OPPORTUNISTIC_CALM = 2  /* the machine is neither hot nor loaded nor saves power, and the
                                      host's day budget, launch rate and usual hours allow it; of
                                      continued processing: the machine is not hot */
};

/* What happens to dates that were missed because the host was not running or the machine slept. A
 * date counts as missed when it was 60 seconds before the host began or the machine woke, or
 * earlier; later ones are launched late. */
typedef int32_t curfew_catch_up;
enum {
    CURFEW_CATCH_UP_SKIP = 1, /* none is launched */
    CURFEW_CATCH_UP_ONE = 2,  /* one launch stands for all of them; the default */
    CURFEW_CATCH_UP_ALL = 3   /* each is launched; one stands for all where there are over 1,000 */
};

/* --- Submitting ---------------------------------------------------------------------------- */

/* A request to be submitted. All zero but struct_size: launch as soon as possible. */
typedef struct curfew_submit_options {
    uint32_t struct_size;
    curfew_kind kind;               /* 0: the handler's; app-refresh where none is registered. A task
                                       of another kind than its handler has that kind's budget */
    int64_t earliest_ns;            /* not launched before this date, 1970…2200; 0: at once, or
                                       after_ns */
    int64_t latest_ns;              /* not launched by this date, it is missed; 0: none */
    curfew_needs needs;
    int32_t priority;               /* -1, 0 or 1: among those that can be launched */
    curfew_on_pending on_pending;   /* 0: CURFEW_ON_PENDING_ADD */
    uint32_t attempts;              /* launches in all, until one succeeds, 1…100; 0: 1, as Apple has
                                       it */
    uint64_t backoff_ns;            /* before the second attempt, doubling with each, 1 s…7 days; up to
                                       a fifth more is added at random, never less; 0: 30 s. Only with
                                       attempts */
    uint64_t max_backoff_ns;        /* where the doubling ends, 1 s…7 days; 0: 6 h. Only with attempts */
    uint64_t interval_ns;           /* repeats the launch, 1 s…366 days; 0: no */
    const char *CURFEW_NULLABLE cron; /* repeats the launch at dates, by five fields as in crontab(5),
                                         in at most 1,024 bytes, with CRON_TZ=Europe/Berlin before
                                         them in that time zone; NULL: no */
    bool cron_is_local;             /* in the machine's time zone, not in UTC. Minutes that are left
                                       out where its clock is set forward are launched once, at the end
                                       of the gap. Minutes that come twice where it is set back are
                                       launched the first time, or both times where the expression
                                       names every hour */
    uint8_t reserved[3];            /* 0 */
    curfew_catch_up catch_up;       /* 0: CURFEW_CATCH_UP_ONE. Only with interval_ns or cron */
    uint64_t jitter_ns;             /* each date is delayed by a part of this, at most 366 days; 0: no.
                                       Only with interval_ns or cron */
    const char *CURFEW_NULLABLE key; /* an idempotency key: submitting it again for the same
                                        identifier returns the existing request, as long as that is
                                        kept: until it is over, and then for history_ns and
                                        history_limit of curfew_request_config. At most 256 bytes;
                                        NULL: none */
    const void *CURFEW_NULLABLE payload; /* copied; at most 1 MiB */
    uint64_t payload_bytes;
    uint64_t after_ns;              /* not launched earlier than this after its submission, by the
                                       date of the host's clock; 0: earliest_ns. Not both */
    curfew_opportunistic opportunistic; /* 0: CURFEW_OPPORTUNISTIC_NO */
    uint32_t reserved_opportunistic;    /* 0 */
    uint64_t at_most_ns;            /* the longest wait for that, from its date on, at most 366 days;
                                       0: no limit */
    const char *CURFEW_NULLABLE trace; /* copied; the place in a trace that its tasks go on with: the value of
                                          the header `traceparent` of
                                          https://www.w3.org/TR/trace-context/; NULL: none. It says nothing of what is to be done: the same
                                          request with another trace is the same request */
} curfew_submit_options;

/* The bytes of a trace as text, with its NUL. */
#define CURFEW_TRACE_BYTES 56

/* The result of a submission. */
typedef int32_t curfew_submission;
enum {
    CURFEW_SUBMISSION_QUEUED = 1,            /* the request is pending */
    CURFEW_SUBMISSION_DUPLICATE_PENDING = 2, /* one of the identifier was pending, and is returned */
    CURFEW_SUBMISSION_DUPLICATE_KEY = 3      /* one with the key exists, and is returned */
};

/*
 * Submits a request. On success it is durable; *out_request is its number, or that of the existing
 * one, as *out_submission says. Its handler need not be registered yet; where it is, raises
 * `scheduling<event>_done(bool, text)`.
 *
 * Returns CURFEW_OK, CURFEW_TOO_MANY (a limit of pending requests), CURFEW_EXISTS
 * (its key is that of a different request), CURFEW_TOO_LARGE (the payload), CURFEW_DENIED (its
 * handler is not permitted) or CURFEW_INVALID.
 */
curfew_status curfew_host_submit(curfew_host *host, const char *identifier,
                                 const curfew_submit_options *CURFEW_NULLABLE options,
                                 curfew_request *CURFEW_NULLABLE out_request,
                                 curfew_submission *CURFEW_NULLABLE out_submission,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Cancels a request. Where its task runs, tells that to stop with CURFEW_REASON_CANCELLED. Returns
 * CURFEW_OK, CURFEW_ALREADY (it was over) or CURFEW_NOT_FOUND. */
curfew_status curfew_host_cancel_request(curfew_host *host, curfew_request request,
                                         curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Cancels the pending requests of an identifier, or of all when it is NULL; running tasks go on.
 * *out_count is their number. Returns CURFEW_OK. */
curfew_status curfew_host_cancel_requests(curfew_host *host,
                                          const char *CURFEW_NULLABLE identifier,
                                          uint32_t *CURFEW_NULLABLE out_count,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Releases a request that was parked because the process ended again and again during its task: it
 * is pending again. Returns CURFEW_OK or CURFEW_WRONG_STATE (it is not parked). */
curfew_status curfew_host_release_request(curfew_host *host, curfew_request request,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Makes a request that is over pending again: it may be launched at once, with all its attempts, and
 * keeps its number, payload and history. A latest date that has passed is dropped; a repeated request
 * continues with its next date. Returns CURFEW_OK, CURFEW_WRONG_STATE (it is not over),
 * CURFEW_TOO_MANY or CURFEW_NOT_FOUND. */
curfew_status curfew_host_retry_request(curfew_host *host, curfew_request request,
                                        curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Makes a pending request due now, whatever its date. Its needs and all other factors still hold; a
 * repeated request keeps its next date. Returns CURFEW_OK, CURFEW_WRONG_STATE (it is not pending) or
 * CURFEW_NOT_FOUND. */
curfew_status curfew_host_launch_request(curfew_host *host, curfew_request request,
                                         curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* The members of curfew_submit_options that change a request; to be combined. */
typedef uint32_t curfew_edits;
enum {
    CURFEW_EDITS_EARLIEST = 1,
    CURFEW_EDITS_LATEST = 2,
    CURFEW_EDITS_NEEDS = 4,
    CURFEW_EDITS_PRIORITY = 8,
    CURFEW_EDITS_RETRIES = 16,    /* attempts, backoff_ns and max_backoff_ns */
    CURFEW_EDITS_REPETITION = 32, /* interval_ns, cron, cron_is_local, catch_up and jitter_ns */
    CURFEW_EDITS_KEY = 64,
    CURFEW_EDITS_OPPORTUNISTIC = 128 /* opportunistic and at_most_ns */
};

/*
 * Changes a pending request: those members of `options` that `edits` names replace its own, and the
 * others are ignored. A new earliest date or repetition sets the date of its next launch.
 *
 * Returns CURFEW_OK, CURFEW_WRONG_STATE (it is not pending), CURFEW_EXISTS (another request has the
 * key), CURFEW_NOT_FOUND or CURFEW_INVALID.
 */
curfew_status curfew_host_edit_request(curfew_host *host, curfew_request request,
                                       curfew_edits edits, const curfew_submit_options *options,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* --- Reading ------------------------------------------------------------------------------- */

/* The phase of a request's life; in the last four it is over. */
typedef int32_t curfew_request_phase;
enum {
    CURFEW_REQUEST_PHASE_PENDING = 1,
    CURFEW_REQUEST_PHASE_RUNNING = 2,
    CURFEW_REQUEST_PHASE_PARKED = 3,    /* the process ended too often during it; release or cancel */
    CURFEW_REQUEST_PHASE_FINISHED = 4,
    CURFEW_REQUEST_PHASE_CANCELLED = 5,
    CURFEW_REQUEST_PHASE_REPLACED = 6,  /* by a newer one of its identifier */
    CURFEW_REQUEST_PHASE_MISSED = 7     /* its latest date passed */
};

/* Why a pending request has its date. */
typedef int32_t curfew_pending_reason;
enum {
    CURFEW_PENDING_REASON_SUBMITTED = 1,
    CURFEW_PENDING_REASON_BACKOFF = 2,     /* an attempt failed */
    CURFEW_PENDING_REASON_SNOOZED = 3,     /* its task asked to be launched later */
    CURFEW_PENDING_REASON_REPETITION = 4,  /* it is the next date */
    CURFEW_PENDING_REASON_INTERRUPTED = 5, /* its task was interrupted */
    CURFEW_PENDING_REASON_RELEASED = 6,    /* it was parked, and released */
    CURFEW_PENDING_REASON_BY_HAND = 7      /* it was retried, or is launched before its date */
};

/* The state of a request. In an array all elements have the same struct_size, which is the distance
 * between them. The texts end with NUL. */
typedef struct curfew_request_state {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;
    curfew_request request;
    curfew_request_phase phase;
    curfew_pending_reason pending_reason;
    curfew_needs needs;
    int32_t priority;
    int64_t submitted_ns;
    int64_t not_before_ns;   /* while it is pending: when it may be launched */
    int64_t latest_ns;       /* 0: none */
    int64_t changed_ns;      /* when its phase changed last */
    uint64_t launches;       /* in all */
    uint32_t attempts;       /* used of its current date */
    uint32_t attempt_limit;
    uint32_t crashes;        /* launches in a row that ended with the process */
    curfew_outcome outcome;  /* of its last task; CURFEW_OUTCOME_NONE: there was none */
    uint64_t payload_bytes;
    uint64_t interval_ns;    /* 0: it is not repeated by an interval */
    bool is_repeated;
    uint8_t reserved[7];
    char identifier[136];
    char key[264];           /* "": none */
    char cron[128];          /* "": none; cut */
    curfew_opportunistic opportunistic;
    uint32_t reserved_opportunistic; /* 0 */
    uint64_t at_most_ns;     /* 0: no limit */
    int64_t owner;           /* the number of the user who has submitted it to another user's host;
                                -1: the host's own user */
} curfew_request_state;

/* Fills *out_state. Returns CURFEW_OK, CURFEW_NOT_FOUND or CURFEW_INVALID. */
curfew_status curfew_host_get_request(curfew_host *host, curfew_request request,
                                      curfew_request_state *out_state,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* A filter for a list of requests. All zero but struct_size: all. */
typedef struct curfew_request_filter {
    uint32_t struct_size;
    uint32_t phases;       /* bit n for the phase with the number n; 0: all */
    curfew_request after;  /* only larger numbers: the last of the list before */
    const char *CURFEW_NULLABLE identifier; /* NULL: all */
} curfew_request_filter;

/* Lists requests by number. *out_count is the number of elements written, at most `capacity`.
 * Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_requests(curfew_host *host,
                                        const curfew_request_filter *CURFEW_NULLABLE filter,
                                        curfew_request_state *out_states, uint32_t capacity,
                                        uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Copies a request's payload to `buffer`, the caller's. *out_bytes is its whole length. Returns
 * CURFEW_OK, CURFEW_TOO_LARGE (the first `capacity_bytes` were copied) or CURFEW_NOT_FOUND. */
curfew_status curfew_host_read_request_payload(curfew_host *host, curfew_request request,
                                               void *CURFEW_NULLABLE buffer,
                                               uint64_t capacity_bytes,
                                               uint64_t *CURFEW_NULLABLE out_bytes,
                                               curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* One launch of a request. In an array as curfew_request_state. */
typedef struct curfew_attempt {
    uint32_t struct_size; /* set by the caller */
    uint32_t attempt;     /* as in curfew_task_info */
    uint64_t launch;      /* counts all launches of the request, from 1 */
    int64_t started_ns;
    int64_t ended_ns;     /* 0: it runs */
    curfew_outcome outcome;
    curfew_reason reason;
    int32_t process;      /* the process id of the host */
    uint32_t error_bytes; /* of `error`, which may be cut */
    char error[1024];     /* "" after success */
    int32_t exit_status;  /* of its program; -1: it has none, or a signal ended it */
    int32_t exit_signal;  /* which ended its program; 0: none */
    uint64_t cpu_ns;      /* processor time; 0: not measured, as of a task that another thread completed
                             before its function returned */
    uint64_t user_ns;     /* of it in its program, and in the kernel for it; 0 without a program, */
    uint64_t system_ns;   /* as are the next three */
    uint64_t memory_bytes; /* the most that one of the program's processes had */
    uint64_t read_bytes;
    uint64_t written_bytes;
    double progress;      /* the last fraction that it reported; -1: none */
    uint64_t log_dropped; /* lines of its log before those that are kept */
    uint64_t result_bytes; /* of the whole result, of which the beginning is kept */
    char progress_text[256];
} curfew_attempt;

/* Lists the last launches of a request, the oldest first. *out_count is the number of elements
 * written, at most `capacity`. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_attempts(curfew_host *host, curfew_request request,
                                        curfew_attempt *out_attempts, uint32_t capacity,
                                        uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* The texts that a launch leaves. */
typedef int32_t curfew_attempt_part;
enum {
    CURFEW_ATTEMPT_PART_LOG = 1,   /* the last lines of its log, at most 50 and 8 KiB, with line feeds
                                      between them and without other control characters */
    CURFEW_ATTEMPT_PART_RESULT = 2 /* the first 4 KiB of its result, if that is text */
};

/* Copies a part of a launch to `buffer`, the caller's, without a 0 at its end. The launch has the
 * number `launch` of a curfew_attempt and is over; of one that ended with its host there is nothing.
 * *out_bytes is the length of the part. Returns CURFEW_OK, CURFEW_TOO_LARGE (the first
 * `capacity_bytes` were copied), CURFEW_NOT_FOUND or CURFEW_INVALID. */
curfew_status curfew_host_read_attempt(curfew_host *host, curfew_request request, uint64_t launch,
                                       curfew_attempt_part part, void *CURFEW_NULLABLE buffer,
                                       uint64_t capacity_bytes,
                                       uint64_t *CURFEW_NULLABLE out_bytes,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* One entry of the journal of all requests, which are numbered without a gap. In an array as
 * curfew_request_state. */
typedef struct curfew_journal_entry {
    uint32_t struct_size; /* set by the caller */
    uint32_t reserved;
    uint64_t sequence;
    int64_t at_ns;
    curfew_request request; /* 0: it is about the host */
    uint64_t launch;        /* 0: about none */
    char what[32];          /* "submitted", "launched", "ended", …; new words may come */
    char identifier[136];
    char detail[512];       /* for people; cut */
} curfew_journal_entry;

/* Lists the journal after the entry number `after`, of one request or, with 0, of all. *out_count
 * is the number of elements written, at most `capacity`. Where older entries are not kept any more,
 * the first one is a "gap", which says how many are missing. Returns CURFEW_OK or CURFEW_INVALID.
 * */
curfew_status curfew_host_list_journal(curfew_host *host, uint64_t after, curfew_request request,
                                       curfew_journal_entry *out_entries, uint32_t capacity,
                                       uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* What a host of the store does. */
typedef int32_t curfew_store_host_phase;
enum {
    CURFEW_STORE_HOST_PHASE_WORKS = 1,
    CURFEW_STORE_HOST_PHASE_DRAINED = 2, /* somebody wants it to launch nothing more */
    CURFEW_STORE_HOST_PHASE_LEAVING = 3, /* its machine is about to sleep or to be shut down */
    CURFEW_STORE_HOST_PHASE_SILENT = 4   /* for its whole lease: others take its requests over */
};

/* A host that uses the store: one life of one process. In an array as curfew_request_state. */
typedef struct curfew_store_host {
    uint32_t struct_size; /* set by the caller */
    curfew_store_host_phase phase;
    uint64_t id;         /* its number in the store, which no other host gets */
    int64_t since_ns;    /* the date from which it uses the store */
    uint64_t lease_ns;   /* of silence, then others take it for dead; 0: no other one can be there */
    uint64_t silence_ns; /* since its last sign of life, by the clock of the store's server; 0:
                            unknown */
    int32_t process;     /* its number on its machine */
    uint32_t running;    /* requests whose tasks run in it */
    bool own;            /* it is the host that is asked */
    uint8_t reserved[7];
    char machine[136]; /* "" where only one machine can use the store */
    char version[32];  /* of its Curfew, or "" */
} curfew_store_host;

/* Lists the hosts that use the store, by number, those with a larger one than `after`. *out_count
 * is the number of elements written, at most `capacity`. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_hosts(curfew_host *host, uint64_t after,
                                     curfew_store_host *out_hosts, uint32_t capacity,
                                     uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

CURFEW_END_DECLS

#endif /* CURFEW_REQUESTS_H */
