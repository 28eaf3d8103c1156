/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/requests.h: requests. "Launch this handler, not before…, only when…": kept until it is
 * launched or cancelled, whatever happens to the process in between. Included by host.h. In short:
 *
 *     curfew_host_config config = {.struct_size = sizeof config, .store = "/var/lib/mine/requests"};
 *     curfew_submit_options later = {.struct_size = sizeof later,
 *                                    .earliest_ns = curfew_host_get_wall_ns(host) + 900000000000,
 *                                    .needs = CURFEW_NEEDS_NETWORK};
 *     curfew_request request;
 *
 *     curfew_host_submit(host, "org.example.mirror", &later, &request, NULL, &error);
 *     …
 *     curfew_host_explain_request(host, request, reports, 20, &count, &earliest, &error);
 *
 * Dates are nanoseconds since 1970 in UTC. Spans are nanoseconds, and last as long as they say, also
 * where the clock is set. Every call returns once what it did is committed, and waits for that: from
 * handlers and event functions, too, but never from the log function (CURFEW_WRONG_THREAD). Besides
 * what they say, all that take a curfew_error return CURFEW_CLOSING, CURFEW_WRONG_THREAD,
 * CURFEW_SYSTEM and, where the store failed, one of the CURFEW_STORE_… statuses. Then nothing was
 * done, but for CURFEW_STORE_UNKNOWN: the system failed while the change was brought to the disk, and
 * it is not known whether the change was stored. Submit again with the same key, which returns the
 * request where it is there and makes no second one; every other call may be repeated as it is.
 */
#ifndef CURFEW_REQUESTS_H
#define CURFEW_REQUESTS_H

#include "types.h"

CURFEW_BEGIN_DECLS

/* A request's number in its store: 1, 2, 3, … in the order of submission, never used again. */
typedef uint64_t curfew_request;

/* What a request wants of the machine while its task runs; to be combined. */
typedef uint32_t curfew_needs;
enum {
    CURFEW_NEEDS_NETWORK = 1,
    CURFEW_NEEDS_EXTERNAL_POWER = 2
};

/* What becomes of a pending request of the same identifier when another one is submitted. One whose
 * task runs is not pending: it goes on, with the attempts and dates that it has left. */
typedef int32_t curfew_on_pending;
enum {
    CURFEW_ON_PENDING_REPLACE = 1, /* the new one takes its place; the default, as Apple has it */
    CURFEW_ON_PENDING_KEEP = 2,    /* it stays, and the new one is not taken in */
    CURFEW_ON_PENDING_ADD = 3      /* both are launched, one after the other */
};

/* What becomes of dates that passed while nobody could launch anything: the host was not running, or
 * the machine slept. A date counts as passed so when it was 60 seconds before the host began or the
 * machine woke, or earlier; a later one is launched late. */
typedef int32_t curfew_catch_up;
enum {
    CURFEW_CATCH_UP_SKIP = 1, /* they are left out */
    CURFEW_CATCH_UP_ONE = 2,  /* one launch stands for all of them; the default */
    CURFEW_CATCH_UP_ALL = 3   /* each is launched; of more than 1,000, one stands for all */
};

/* --- Configuration ------------------------------------------------------------------------- */

/* How requests are treated; see curfew_host_config. All zero but struct_size is a good choice. */
typedef struct curfew_request_config {
    uint32_t struct_size;

    /* Pending requests there may be of a kind; 0: 1 of app-refresh, 10 of every other. */
    uint32_t app_refresh_limit;
    uint32_t processing_limit;
    uint32_t health_research_limit;
    uint32_t continued_processing_limit;

    uint32_t crash_limit;       /* a request is parked after so many ends of the process, in the last
                                   of which its task ran alone; 0: 3 */
    uint64_t history_ns;        /* what is over is kept so long; 0: 7 days */
    uint32_t history_limit;     /* and so many requests of it; 0: 10,000 */
    uint32_t place_limit;       /* tasks of requests that run at a time, short and long ones each; 0: 64 */
    uint64_t debounce_ns;       /* a change of a factor has to last so long; 0: 5 s; 1: not at all */
    uint64_t spacing_ns;        /* between two launches of a handler; 0: none */
    uint64_t penalty_ns;        /* before the next launch after a missed completion, doubling with
                                   each in a row; 0: 5 min; 1: none */
    uint64_t day_launches;      /* what a day may cost; 0: no limit */
    uint64_t day_wall_ns;
    uint64_t day_cpu_ns;
    double usage_threshold;     /* launches wait for an hour at which the app is used at least so
                                   much, 0…1; 0: they do not wait */
    bool reads_machine;         /* the kernel says how the machine is: power, battery, heat, … */
    uint8_t reserved[7];        /* 0 */
    uint64_t throttle_ns;          /* the longest pause before a request without a date, of an identifier
                                   of which such were launched lately: 1 s after the first launch,
                                   doubling with each up to this; 0: 15 min, and none on a manual
                                   clock; 1: none. Not before what is added to pending requests, or
                                   is for continued processing */
} curfew_request_config;

/* --- Submitting ---------------------------------------------------------------------------- */

/* What is asked for. All zero but struct_size: launch it as soon as it can be. */
typedef struct curfew_submit_options {
    uint32_t struct_size;
    curfew_kind kind;               /* 0: the handler's; app-refresh where none is registered. Of
                                       another kind than its handler, a task has the budget that is
                                       usual for its own */
    int64_t earliest_ns;            /* never sooner; 0: at once */
    int64_t latest_ns;              /* not launched by then, it is missed; 0: whenever it can be */
    curfew_needs needs;
    int32_t priority;               /* -1, 0 or 1: which of several that can be launched goes first */
    curfew_on_pending on_pending;   /* 0: CURFEW_ON_PENDING_REPLACE */
    uint32_t attempts;              /* launches in all, until one succeeds; 0: 1, as Apple has it */
    uint64_t backoff_ns;           /* before the second attempt, doubling with each; 0: 30 s */
    uint64_t max_backoff_ns;   /* 0: 6 h */
    uint64_t interval_ns;              /* launched again and again; 0: not */
    const char *CURFEW_NULLABLE cron; /* the same by five fields as in crontab(5), in at most 1,024
                                         bytes; NULL: not */
    bool cron_is_local;             /* they are of the machine's time zone, not of UTC. Where its clock
                                       is set forward, the minutes it leaves out are launched once, at
                                       the end of the gap; where it is set back, a minute that it shows
                                       twice is launched the first time, or both times where the
                                       expression names every hour */
    uint8_t reserved[3];            /* 0 */
    curfew_catch_up catch_up;       /* 0: CURFEW_CATCH_UP_ONE */
    uint64_t jitter_ns;             /* each date is moved by a part of this, later */
    const char *CURFEW_NULLABLE key; /* of two requests of an identifier with one key the second is
                                        the first, as long as the first is kept: until it is over,
                                        and then for history_ns and history_limit of
                                        curfew_request_config; at most 256 bytes; NULL: none */
    const void *CURFEW_NULLABLE payload; /* copied; at most 1 MiB */
    uint64_t payload_bytes;
} curfew_submit_options;

/* What became of a request that was submitted. */
typedef int32_t curfew_submission;
enum {
    CURFEW_SUBMISSION_QUEUED = 1, /* it is pending */
    CURFEW_SUBMISSION_DUPLICATE_PENDING = 2,   /* one of the identifier was pending and stays */
    CURFEW_SUBMISSION_DUPLICATE_KEY = 3   /* it was submitted before, under the same key */
};

/*
 * Submits a request. With CURFEW_OK it is durable, *out_request is its number, or that of the one
 * that stands for it, and *out_submission says which. Its handler need not be registered yet. Raises
 * `scheduling<event>_done(bool, text)` where it is.
 *
 * Returns CURFEW_OK, CURFEW_TOO_MANY (as many of its kind are pending as may be), CURFEW_EXISTS (its
 * key is that of a request for something else), CURFEW_TOO_LARGE (the payload), CURFEW_DENIED (not
 * in the list of permitted handlers) or CURFEW_INVALID.
 */
curfew_status curfew_host_submit(curfew_host *host, const char *identifier,
                                 const curfew_submit_options *CURFEW_NULLABLE options,
                                 curfew_request *CURFEW_NULLABLE out_request,
                                 curfew_submission *CURFEW_NULLABLE out_submission,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Cancels a request. One whose task runs ends with it: the task is told to stop with
 * CURFEW_REASON_CANCELLED. Returns CURFEW_OK, CURFEW_ALREADY (it was over) or CURFEW_NOT_FOUND. */
curfew_status curfew_host_cancel_request(curfew_host *host, curfew_request request,
                                         curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Cancels the pending requests of an identifier, or all there are when it is NULL; running tasks go
 * on. *out_count tells how many there were. Returns CURFEW_OK. */
curfew_status curfew_host_cancel_requests(curfew_host *host,
                                          const char *CURFEW_NULLABLE identifier,
                                          uint32_t *CURFEW_NULLABLE out_count,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Lets a request be launched again that was parked because the process ended again and again while
 * its task ran. Returns CURFEW_OK or CURFEW_WRONG_STATE (it is not parked). */
curfew_status curfew_host_release_request(curfew_host *host, curfew_request request,
                                       curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* --- Looking ------------------------------------------------------------------------------- */

/* Where a request is in its life; the last four are history. */
typedef int32_t curfew_request_state;
enum {
    CURFEW_REQUEST_PHASE_PENDING = 1,
    CURFEW_REQUEST_PHASE_RUNNING = 2,
    CURFEW_REQUEST_PHASE_PARKED = 3,    /* it took the process down too often; lift or cancel it */
    CURFEW_REQUEST_PHASE_FINISHED = 4,
    CURFEW_REQUEST_PHASE_CANCELLED = 5,
    CURFEW_REQUEST_PHASE_REPLACED = 6,  /* a newer one of its identifier took its place */
    CURFEW_REQUEST_PHASE_MISSED = 7     /* its latest beginning passed */
};

/* Where a pending request's date comes from. */
typedef int32_t curfew_pending_reason;
enum {
    CURFEW_PENDING_REASON_SUBMITTED = 1,
    CURFEW_PENDING_REASON_BACKOFF = 2,    /* an attempt failed */
    CURFEW_PENDING_REASON_SNOOZED = 3,     /* its task asked to be launched again later */
    CURFEW_PENDING_REASON_REPETITION = 4,  /* it is the next date */
    CURFEW_PENDING_REASON_INTERRUPTED = 5, /* its task was interrupted */
    CURFEW_PENDING_REASON_RELEASED = 6       /* it was parked, and lifted */
};

/* A request. In an array every element has the same struct_size, and that is the distance between
 * them. The texts end with NUL. */
typedef struct curfew_request_state {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;
    curfew_request request;
    curfew_request_state state;
    curfew_pending_reason pending_reason;
    curfew_needs needs;
    int32_t priority;
    int64_t submitted_ns;
    int64_t not_before_ns;   /* while it is pending: when it may be launched */
    int64_t latest_ns;       /* 0: none */
    int64_t changed_ns;      /* when its state changed last */
    uint64_t launches;       /* there ever were */
    uint32_t attempts;       /* that its date has used */
    uint32_t attempt_limit;
    uint32_t crashes;        /* launches in a row that ended with the process */
    curfew_outcome outcome;  /* of its last task; CURFEW_OUTCOME_NONE: there was none */
    uint64_t payload_bytes;
    uint64_t interval_ns;       /* 0: it is not repeated by an interval */
    bool is_repeated;
    uint8_t reserved[7];
    char identifier[136];
    char key[264];           /* "": none */
    char cron[128];          /* "": none; cut */
} curfew_request_state;

/* Fills *out_info. Returns CURFEW_OK, CURFEW_NOT_FOUND or CURFEW_INVALID. */
curfew_status curfew_host_get_request(curfew_host *host, curfew_request request,
                                        curfew_request_state *out_info,
                                        curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Which requests are listed. All zero but struct_size: all. */
typedef struct curfew_request_filter {
    uint32_t struct_size;
    uint32_t states;       /* bit n for the state with the number n; 0: all */
    curfew_request after;  /* only larger numbers: where the list before ended */
    const char *CURFEW_NULLABLE identifier; /* NULL: all */
} curfew_request_filter;

/* Fills up to `capacity` elements of `infos` with requests, by number; *out_count tells how many.
 * Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_requests(curfew_host *host,
                                        const curfew_request_filter *CURFEW_NULLABLE filter,
                                        curfew_request_state *infos, uint32_t capacity,
                                        uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Copies up to `capacity_bytes` of a request's payload to `buffer`, the caller's. *out_bytes is the
 * whole length. Returns CURFEW_OK, CURFEW_TOO_LARGE (it was cut) or CURFEW_NOT_FOUND. */
curfew_status curfew_host_read_request_payload(curfew_host *host, curfew_request request,
                                       void *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                       uint64_t *CURFEW_NULLABLE out_bytes,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* One launch of a request. In an array as curfew_request_state. */
typedef struct curfew_attempt {
    uint32_t struct_size; /* set by the caller */
    uint32_t attempt;     /* as its handler was told */
    uint64_t launch;      /* counts all launches of the request, from 1 */
    int64_t started_ns;
    int64_t ended_ns;     /* 0: it runs */
    curfew_outcome outcome;
    curfew_reason reason;
    int32_t process;      /* of the host */
    uint32_t error_bytes; /* of `error`, which may be cut */
    char error[1024];     /* "" after success */
} curfew_attempt;

/* Fills up to `capacity` elements of `attempts` with the last launches of a request, the oldest
 * first; *out_count tells how many. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_attempts(curfew_host *host, curfew_request request,
                                        curfew_attempt *attempts, uint32_t capacity,
                                        uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* What happened to requests, numbered without a gap. In an array as curfew_request_state. */
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

/* Fills up to `capacity` elements of `entries` with those after the number `after`, of one request
 * or, with 0, of all; *out_count tells how many. Where others before the first are not kept any
 * more, an entry "gap" comes first, which says how many. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_list_journal(curfew_host *host, uint64_t after, curfew_request request,
                                       curfew_journal_entry *entries, uint32_t capacity,
                                       uint32_t *out_count, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Returns the date on the host's clock. */
int64_t curfew_host_get_wall_ns(curfew_host *host) CURFEW_TAG(any, any);

/* --- Why ----------------------------------------------------------------------------------- */

/* Whether a factor allows a launch. */
typedef int32_t curfew_factor_value;
enum {
    CURFEW_FACTOR_VALUE_NO = 0,
    CURFEW_FACTOR_VALUE_YES = 1,
    CURFEW_FACTOR_VALUE_UNKNOWN = 2 /* no source can tell; it allows unless the policy says otherwise */
};

/* What is considered before a launch. New ones may come. */
typedef int32_t curfew_factor;
enum {
    /* Of the machine; these can be set. */
    CURFEW_FACTOR_EXTERNAL_POWER = 1,
    CURFEW_FACTOR_BATTERY = 2,
    CURFEW_FACTOR_LOW_POWER_MODE = 3,
    CURFEW_FACTOR_THERMAL = 4,
    CURFEW_FACTOR_NETWORK = 5,
    CURFEW_FACTOR_PRESSURE = 6,
    CURFEW_FACTOR_IDLE = 7,
    CURFEW_FACTOR_FIRST_UNLOCK = 8,
    /* Of the handler. */
    CURFEW_FACTOR_REFRESH_SETTING = 20,
    CURFEW_FACTOR_ENABLEMENT = 21,
    CURFEW_FACTOR_USAGE = 22,
    CURFEW_FACTOR_LAUNCH_RATE = 23,
    CURFEW_FACTOR_HANDLER = 24,
    CURFEW_FACTOR_TURN = 25,
    /* Of the host. */
    CURFEW_FACTOR_DAY_BUDGET = 40,
    CURFEW_FACTOR_PLACE = 41,
    CURFEW_FACTOR_STORE = 42,
    CURFEW_FACTOR_HOST = 43,
    /* Of the request. */
    CURFEW_FACTOR_DATE = 60,
    CURFEW_FACTOR_PARKED = 61
};

/* How one factor stands for a request. In an array as curfew_request_state. */
typedef struct curfew_factor_report {
    uint32_t struct_size; /* set by the caller */
    curfew_factor factor;
    curfew_factor_value state;
    bool holds;           /* it holds the request back */
    uint8_t reserved[3];
    int64_t since_ns;     /* 0: not known */
    int64_t until_ns;     /* when it will allow by itself; 0: nobody can tell, or it allows */
    char name[32];        /* "external-power" */
    char source[128];     /* where that is known from */
    char detail[256];     /* in words */
    char change[128];     /* what would change it; "" where it allows */
} curfew_factor_report;

/*
 * Says why a request is not launched: fills up to `capacity` elements of `reports` with every factor
 * that is considered, those that hold it back first. *out_count tells how many there are in all, so
 * that 32 are enough for a while. *out_earliest is when it can be launched at the earliest, or 0
 * where something holds it back of which nobody can tell when it ends. Returns CURFEW_OK,
 * CURFEW_NOT_FOUND or CURFEW_INVALID.
 */
curfew_status curfew_host_explain_request(curfew_host *host, curfew_request request,
                              curfew_factor_report *reports, uint32_t capacity,
                              uint32_t *out_count, int64_t *CURFEW_NULLABLE out_earliest,
                              curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* The same for whatever would be submitted of an identifier with these options, of which kind and
 * needs count. */
curfew_status curfew_host_explain_submit(curfew_host *host, const char *identifier,
                                  const curfew_submit_options *CURFEW_NULLABLE options,
                                  curfew_factor_report *reports, uint32_t capacity,
                                  uint32_t *out_count, int64_t *CURFEW_NULLABLE out_earliest,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* --- Factors and settings ------------------------------------------------------------------ */

/* Says how a factor of the machine is now; its sources are asked, if that is a while ago. `holds` is
 * false and `change` empty: nobody waits for it here. A change raises the event
 * `curfew_factor::` (text name, int32 state) where somebody subscribes to it by that name; from then
 * on the sources are asked also while no request waits. Returns CURFEW_OK or CURFEW_INVALID (not the
 * machine's). */
curfew_status curfew_host_get_factor(curfew_host *host, curfew_factor factor,
                                 curfew_factor_report *out_report,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Sets a factor of the machine by hand, at once, whatever sources say. `detail` is kept in at most 255
 * bytes; NULL: "set by hand".
 * Returns CURFEW_OK or CURFEW_INVALID (not the machine's, or no such state). */
curfew_status curfew_host_override_factor(curfew_host *host, curfew_factor factor,
                                     curfew_factor_value state,
                                     const char *CURFEW_NULLABLE detail,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Leaves a factor to the sources again. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_clear_factor_override(curfew_host *host, curfew_factor factor,
                                       curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* A source of the embedder's says how a factor is. A change has to last as long as the configuration
 * says before it counts. `source` is kept in at most 127 bytes, `detail` in 255. Returns as
 * curfew_host_override_factor. */
curfew_status curfew_host_report_factor(curfew_host *host, curfew_factor factor,
                                        curfew_factor_value state, const char *source,
                                        const char *detail, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* The switch for refreshing in the background. */
typedef int32_t curfew_refresh;
enum {
    CURFEW_REFRESH_AVAILABLE = 1,
    CURFEW_REFRESH_DENIED = 2,    /* its user has turned it off */
    CURFEW_REFRESH_RESTRICTED = 3 /* whoever runs the machine has */
};

/* Whether a handler's user wants it at all. */
typedef int32_t curfew_enablement;
enum {
    CURFEW_ENABLEMENT_ENABLED = 1,
    CURFEW_ENABLEMENT_SUSPENDED = 2,
    CURFEW_ENABLEMENT_REMOVED = 3
};

/* Sets what people want of launches, of an identifier's; with NULL of a plugin's, by its id; with
 * both NULL of all. Of several that fit the strictest counts. It is kept in the store. Returns
 * CURFEW_OK or CURFEW_INVALID: the name is no reverse-DNS name of at most 128 bytes, or 4,096 others
 * have a setting. */
curfew_status curfew_host_set_setting(curfew_host *host, const char *CURFEW_NULLABLE plugin,
                                      const char *CURFEW_NULLABLE identifier,
                                      curfew_refresh refresh, curfew_enablement enablement,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* The app is being used now: the hours at which it is are learnt from this. Returns CURFEW_OK. */
curfew_status curfew_host_report_usage(curfew_host *host, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* What is left of a day's budget. */
typedef struct curfew_day_balance {
    uint32_t struct_size; /* set by the caller */
    bool limits_launches; /* there is a limit at all */
    bool limits_wall;
    bool limits_cpu;
    uint8_t reserved;
    uint64_t launches;
    uint64_t wall_ns;
    uint64_t cpu_ns;
} curfew_day_balance;

/* Fills *out_balance. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_get_day_balance(curfew_host *host, curfew_day_balance *out_balance,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* --- Simulating ---------------------------------------------------------------------------- */

/* Launches the pending request of an identifier at once, whatever holds it back, with the lines in
 * the log that Apple's debugger command brings. Returns CURFEW_OK, CURFEW_NOT_FOUND (none is pending)
 * or CURFEW_ALREADY (its task runs). */
curfew_status curfew_host_simulate_launch(curfew_host *host, const char *identifier,
                                          curfew_request *CURFEW_NULLABLE out_request,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Lets the time of a task be over that curfew_host_simulate_launch has launched. Returns CURFEW_OK,
 * CURFEW_NOT_FOUND (none runs) or CURFEW_ALREADY (it was told to stop before). */
curfew_status curfew_host_simulate_expiration(curfew_host *host, const char *identifier,
                                              curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

CURFEW_END_DECLS

#endif /* CURFEW_REQUESTS_H */
