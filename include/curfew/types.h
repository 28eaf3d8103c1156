/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/types.h: the types that plugins and embedders share: statuses, errors, tasks, values.
 *
 * Conventions of all headers:
 *
 *  - Structs. Each begins with `struct_size`, which its maker sets to the size it was compiled
 *    with; the reader touches no byte beyond. Structs only grow at the end. A zero means the
 *    default.
 *  - Functions. The first parameter is the object, whose type begins the name: curfew_host_…,
 *    curfew_clock_…; the functions for B4X begin with curfew_target_. `get` fills a struct of the
 *    caller's or returns one value; `list` fills an array; `read` copies bytes.
 *  - Errors. A function that can fail returns a curfew_status, and takes a curfew_error last, which
 *    may be NULL. On failure its out parameters are left alone, unless the comment says otherwise.
 *    NULL where a parameter is not CURFEW_NULLABLE is CURFEW_INVALID, or false for a function that
 *    returns a bool; only the object, the first parameter, is not checked.
 *  - Counts. `out_count` is the number of elements that were written or concerned. `out_bytes` is
 *    the whole length, also where the buffer was too small: then the call returns CURFEW_TOO_LARGE.
 *  - Text is UTF-8. Names (identifiers, events, paths) end with NUL; other text is a pointer and a
 *    length in bytes, without NUL. Identifiers, plugin ids and names of events and targets have at
 *    most 128 bytes, paths 4,095: a longer name, or one that is not UTF-8, is CURFEW_INVALID, or
 *    CURFEW_NOT_FOUND in a look-up. Text for people is cut where it is too long, and malformed
 *    UTF-8 in it is replaced by U+FFFD.
 *  - Ownership. Memory behind a parameter is borrowed: it is read before the call returns, and
 *    never freed, unless the comment says otherwise.
 *  - Time is in nanoseconds (`_ns`), sizes are in bytes (`_bytes`). An int64_t is a date, since
 *    1970 in UTC; a uint64_t is a duration, which setting the clock does not change, or monotonic
 *    time. `timeout_ns` limits a wait: in a call that blocks, 0 only looks; in one with a
 *    continuation, 0 is no timeout.
 *  - Callbacks. Each receives the data it was registered with as its first parameter; in the call
 *    that registers it the data follows the function.
 *  - Every function, function pointer and callback type ends with CURFEW_TAG(thread, state).
 */
#ifndef CURFEW_TYPES_H
#define CURFEW_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CURFEW_TAG(thread, state): the threads that may call, and the states in which. It expands to
 * nothing; a tool that reads the tags defines it before the header, for instance
 *
 *     gcc -E -P '-DCURFEW_TAG(thread, state)=@tag(thread;state)' curfew/curfew.h
 *
 * thread, exactly one of:
 *   any       every thread
 *   outside   every thread but the host's own: not inside its callbacks, events or plugin code
 *   loading   the thread that is inside curfew_host_load_plugin
 *   worker    a worker of the host
 *   deadline  a deadline thread of the host; never a worker, and no lock of the host is held
 *   loop      the thread that delivers events
 *
 * state, exactly one of:
 *   any           no condition
 *   open          until shutdown begins; afterwards the call returns CURFEW_CLOSING
 *   registering   only inside curfew_plugin_entry; later the call returns CURFEW_WRONG_STATE
 *   running       from the start of a task until its last reference is released; afterwards the
 *                 call returns CURFEW_STALE
 *   retired       after the plugin's last task is over and its last function has returned
 */
#ifndef CURFEW_TAG
#define CURFEW_TAG(thread, state)
#endif

#ifdef __cplusplus
#define CURFEW_BEGIN_LINKAGE extern "C" {
#define CURFEW_END_LINKAGE }
#else
#define CURFEW_BEGIN_LINKAGE
#define CURFEW_END_LINKAGE
#endif

/* Nullability, for compilers that know it (clang, and Swift through it): a pointer without
 * CURFEW_NULLABLE is never NULL. */
#if defined(__clang__)
#define CURFEW_NULLABLE _Nullable
#define CURFEW_BEGIN_DECLS                                                                      \
    CURFEW_BEGIN_LINKAGE _Pragma("clang diagnostic push")                                       \
    _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")                             \
    _Pragma("clang diagnostic ignored \"-Wnullability-completeness\"")                          \
    _Pragma("clang assume_nonnull begin")
#define CURFEW_END_DECLS                                                                        \
    _Pragma("clang assume_nonnull end") _Pragma("clang diagnostic pop") CURFEW_END_LINKAGE
#else
#define CURFEW_NULLABLE
#define CURFEW_BEGIN_DECLS CURFEW_BEGIN_LINKAGE
#define CURFEW_END_DECLS CURFEW_END_LINKAGE
#endif

CURFEW_BEGIN_DECLS

/* The status of a call; 0 is success. The texts are those of curfew_status_text. */
typedef int32_t curfew_status;

#define CURFEW_STATUS_MAP(X)                                                            \
    X(OK, 0, "done")                                                                    \
    X(PENDING, 1, "the task goes on after its function returned")                       \
    X(ALREADY, 2, "the task was completed before")                                      \
    X(LATE, 3, "the task was told to stop; the answer came within the grace")           \
    X(EXPIRED, 4, "the task's grace is over; the answer came too late")                 \
    X(CLOSING, 5, "the host is shutting down")                                          \
    X(STALE, 6, "no such task: it is over and its last reference was released")         \
    X(REPLACED, 7, "a newer wait for the same event replaced this one")                 \
    X(TIMED_OUT, 8, "the time limit of the call passed")                                \
    X(BUSY, 9, "a queue is full; nothing was launched, try again later")                \
    X(EXHAUSTED, 10, "a limit of the host is reached; try again when tasks have ended") \
    X(QUARANTINED, 11, "the handler is quarantined until it is released")               \
    X(NOT_FOUND, 12, "not found")                                                       \
    X(EXISTS, 13, "the name is taken")                                                  \
    X(INVALID, 14, "an argument is not valid")                                          \
    X(WRONG_STATE, 15, "the state does not allow the call")                             \
    X(WRONG_THREAD, 16, "this thread may not make the call")                            \
    X(DENIED, 17, "not declared, not permitted, or reserved for the host")              \
    X(ABI_MISMATCH, 18, "built for another version of the plugin ABI")                  \
    X(REFUSED, 19, "the plugin or its manifest is not acceptable")                      \
    X(TOO_LARGE, 20, "over the size limit")                                             \
    X(SYSTEM, 21, "the operating system failed; the message has its text")              \
    X(FAILED, 22, "the plugin failed; the message has its text")                        \
    X(TOO_MANY, 23, "as many requests of this kind are pending as may be")              \
    X(STORE_BUSY, 24, "another process holds the store; try again later")               \
    X(STORE_FULL, 25, "the store's disk is full; nothing was changed")                  \
    X(STORE_READ_ONLY, 26, "the store cannot be written to; nothing was changed")       \
    X(STORE_IO, 27, "the store could not be read or written; nothing was changed")      \
    X(STORE_CORRUPT, 28, "the store is damaged; nothing was changed")                   \
    X(STORE_NEWER, 29, "a newer version of Curfew made the store")                      \
    X(STORE_LOCKED, 30, "another host uses the store")                                  \
    X(STORE_GONE, 31, "the store's file was deleted or replaced")                       \
    X(STORE_UNKNOWN, 32, "it is not known whether the change was stored; ask with the same key") \
    X(STORE_UNREACHABLE, 33, "the server of the store does not answer; nothing was changed")

enum {
#define CURFEW_STATUS_CONSTANT(name, value, text) CURFEW_##name = value,
    CURFEW_STATUS_MAP(CURFEW_STATUS_CONSTANT)
#undef CURFEW_STATUS_CONSTANT
};

/*
 * The error of a failed call. The caller owns it and sets struct_size; every call accepts NULL
 * instead. A successful call leaves it alone. `message` ends with NUL, and says what failed, where,
 * what happened to the tasks concerned, and what to do next.
 */
typedef struct curfew_error {
    uint32_t struct_size;
    curfew_status code;
    char message[1016];
} curfew_error;

/*
 * A task: one launch of a handler. An id with a generation, not a pointer: once the task is over
 * and its last reference is released, the id is stale for ever, and every call that takes it
 * returns CURFEW_STALE. 0 is no task. Ids of different hosts are unrelated.
 */
typedef uint64_t curfew_task;

/* A host, of host.h. Made by curfew_host_create, freed by curfew_host_destroy. */
typedef struct curfew_host curfew_host;

/* The kind of a handler: sets the default budget and picks the workers. */
typedef int32_t curfew_kind;
enum {
    CURFEW_KIND_APP_REFRESH = 1, /* short: 30 s unless the manifest says otherwise */
    CURFEW_KIND_PROCESSING = 2,  /* long: 10 min unless the manifest says otherwise */
    CURFEW_KIND_HEALTH_RESEARCH = 3,     /* as processing, for health studies */
    CURFEW_KIND_CONTINUED_PROCESSING = 4 /* as processing, for a user who waits */
};

/* The outcome of a task. */
typedef int32_t curfew_outcome;
enum {
    CURFEW_OUTCOME_NONE = 0, /* it is not over */
    CURFEW_OUTCOME_SUCCEEDED = 1,
    CURFEW_OUTCOME_FAILED = 2,
    CURFEW_OUTCOME_EXPIRED = 3,
    CURFEW_OUTCOME_CANCELLED = 4,
    CURFEW_OUTCOME_INTERRUPTED = 5,
    CURFEW_OUTCOME_ABANDONED = 6,
    CURFEW_OUTCOME_CRASHED = 7 /* its plugin ran in a process, which ended */
};

/* Where the code of a plugin runs. */
typedef int32_t curfew_isolation;
enum {
    CURFEW_ISOLATION_THREAD = 1, /* on threads of the host, whose process it can end */
    CURFEW_ISOLATION_PROCESS = 2, /* in a process of the plugin's, with nothing of the host's memory:
                                     where that ends, the plugin's running tasks end with
                                     CURFEW_OUTCOME_CRASHED, and it is started again */
    CURFEW_ISOLATION_FRESH = 3    /* in a process for each task, which is used for no other one; not
                                     for plugins with handlers of the form `subs` */
};

/* What happens to a plugin that neither a trusted key has signed nor a pin names. */
typedef int32_t curfew_trust;
enum {
    CURFEW_TRUST_OFF = 1, /* it is loaded; signatures are not looked at */
    CURFEW_TRUST_WARN = 2, /* it is loaded, and the log has a warning with the reason */
    CURFEW_TRUST_REQUIRE = 3 /* it is refused with CURFEW_REFUSED before any of its code runs */
};

/* The reason why a running task was told to stop. */
typedef int32_t curfew_reason;
enum {
    CURFEW_REASON_NONE = 0,      /* it was not told to stop */
    CURFEW_REASON_BUDGET = 1,    /* its budget is used up */
    CURFEW_REASON_CONDITION = 2, /* a required condition was lost: power, network, … */
    CURFEW_REASON_HOST = 3,      /* the embedder asked for it */
    CURFEW_REASON_CANCELLED = 4, /* it was cancelled */
    CURFEW_REASON_SHUTDOWN = 5,  /* the host is shutting down */
    CURFEW_REASON_LEASE = 6      /* other hosts of the store take this one for dead, or will soon,
                                    and launch its request again */
};

/* What becomes of the running tasks of a handler's requests once other hosts of the store will soon
 * take this one for dead, and launch the requests again. */
typedef int32_t curfew_lease_loss;
enum {
    CURFEW_LEASE_LOSS_STOP = 1,  /* they are told to stop, with CURFEW_REASON_LEASE */
    CURFEW_LEASE_LOSS_FINISH = 2 /* they go on to their end, perhaps beside a task of another host for
                                    the same request; their ends do not count once another host has
                                    taken over */
};

/* The severity of a log line. The last one is the host's: a plugin violated the contract. */
typedef int32_t curfew_log_level;
enum {
    CURFEW_LOG_DEBUG = 0,
    CURFEW_LOG_INFO = 1,
    CURFEW_LOG_WARNING = 2,
    CURFEW_LOG_ERROR = 3,
    CURFEW_LOG_CONTRACT_VIOLATION = 4
};

/* The type of one event parameter, as the manifest names it: bool, int32, int64, double, text. */
typedef int32_t curfew_type;
enum {
    CURFEW_TYPE_BOOL = 1,   /* C: bool */
    CURFEW_TYPE_INT32 = 2,  /* C: int32_t */
    CURFEW_TYPE_INT64 = 3,  /* C: int64_t */
    CURFEW_TYPE_DOUBLE = 4, /* C: double */
    CURFEW_TYPE_TEXT = 5    /* C: const char *, UTF-8, ends with NUL when the host passes it */
};

/* One event parameter. Only the member for its type is read. In an array all elements have the same
 * struct_size, which is the distance between them. */
typedef struct curfew_value {
    uint32_t struct_size;
    curfew_type type;
    int64_t integer;                  /* BOOL (0 or 1), INT32, INT64 */
    double number;                    /* DOUBLE */
    const char *CURFEW_NULLABLE text; /* TEXT */
    uint64_t text_bytes;              /* TEXT: length without a NUL */
} curfew_value;

/* Returns the text of a status, or "unknown status". The text is static. */
const char *curfew_status_text(curfew_status status) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_TYPES_H */
