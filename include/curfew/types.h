/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/types.h: the words both sides share: statuses, errors, tasks, outcomes, values.
 *
 * Rules that hold in every header of Curfew:
 *
 *  - A struct that crosses starts with `struct_size`. Whoever makes the struct sets it to
 *    sizeof(the struct) as it was compiled; the reader touches no byte past it. Structs only grow
 *    at the end. A zero in a field that was not set means "the default".
 *  - Text is UTF-8. Names (identifiers, events, paths) end with NUL; free text is a pointer and a
 *    length in bytes and needs no NUL. Malformed UTF-8 is repaired with U+FFFD.
 *  - What a pointer points to is borrowed: it is read before the call returns and never freed by
 *    the one who was called, unless the comment says otherwise.
 *  - Times are nanoseconds (`_ns`), sizes are bytes (`_bytes`).
 *  - Every function, function pointer and callback type ends with CURFEW_TAG(thread, state).
 */
#ifndef CURFEW_TYPES_H
#define CURFEW_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CURFEW_TAG(thread, state): who may call, and when. It expands to nothing; a tool that wants to
 * read the tags defines it before the header, for instance
 *
 *     gcc -E -P '-DCURFEW_TAG(thread, state)=@tag(thread;state)' curfew/curfew.h
 *
 * thread, exactly one of:
 *   any       every thread
 *   outside   every thread but the host's own: not inside its callbacks, events or plugin code
 *   loading   the thread that is inside curfew_host_load_plugin
 *   worker    a worker of the host
 *   watcher   a watcher of the host; never a worker, and no lock of the host is held
 *   loop      the thread that turns the event loop
 *
 * state, exactly one of:
 *   any           no condition
 *   open          until shutdown begins; afterwards the call answers CURFEW_CLOSING
 *   registering   only inside curfew_plugin_entry; later the call answers CURFEW_WRONG_STATE
 *   running       between the start of a task and the moment its last reference goes; afterwards
 *                 the call answers CURFEW_STALE
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

/*
 * What a call answers. 0 is success; the texts are what curfew_status_text returns.
 * This list is the only place where a status is defined.
 */
typedef int32_t curfew_status;

#define CURFEW_STATUS_MAP(X)                                                                  \
    X(OK, 0, "done")                                                                          \
    X(PENDING, 1, "the task goes on after its function returned")                             \
    X(ALREADY, 2, "the task was completed before")                                            \
    X(LATE, 3, "the task was told to stop; the answer came within the grace")                 \
    X(EXPIRED, 4, "the task's grace is over; the answer came too late")                       \
    X(CLOSING, 5, "the host is shutting down")                                                \
    X(STALE, 6, "no such task: it is over and its last reference is gone")                    \
    X(REPLACED, 7, "a newer wait for the same event took this one's place")                   \
    X(TIMED_OUT, 8, "the time limit of the call passed")                                      \
    X(BUSY, 9, "a queue is full; nothing was launched, try again later")                      \
    X(EXHAUSTED, 10, "a limit of the host is reached; try again when tasks have ended")       \
    X(QUARANTINED, 11, "the handler is quarantined until someone lifts it")                   \
    X(NOT_FOUND, 12, "no such thing")                                                         \
    X(EXISTS, 13, "the name is taken")                                                        \
    X(INVALID, 14, "an argument is not valid")                                                \
    X(WRONG_STATE, 15, "not now: the state does not allow the call")                          \
    X(WRONG_THREAD, 16, "not from this thread")                                               \
    X(DENIED, 17, "not declared, not permitted, or reserved for the host")                   \
    X(ABI_MISMATCH, 18, "built for another version of the plugin ABI")                        \
    X(REFUSED, 19, "the plugin or its manifest is not acceptable")                            \
    X(TOO_LARGE, 20, "over the size limit")                                                   \
    X(SYSTEM, 21, "the operating system said no; the message has its words")                  \
    X(FAILED, 22, "the plugin said no; the message has its words")                            \
    X(TOO_MANY, 23, "as many requests of this kind are pending as may be")                    \
    X(STORE_BUSY, 24, "another process holds the store; try again later")                     \
    X(STORE_FULL, 25, "the store's disk is full; nothing was changed")                        \
    X(STORE_READ_ONLY, 26, "the store cannot be written to; nothing was changed")             \
    X(STORE_IO, 27, "the store could not be read or written; nothing was changed")            \
    X(STORE_CORRUPT, 28, "the store is damaged; nothing was changed")                         \
    X(STORE_NEWER, 29, "a newer version of Curfew made the store")                            \
    X(STORE_LOCKED, 30, "another host uses the store")                                        \
    X(STORE_GONE, 31, "the store's file was deleted or replaced")                             \
    X(STORE_UNKNOWN, 32, "it is not known whether the change was stored; ask with the same key")

enum {
#define CURFEW_STATUS_CONSTANT(name, value, text) CURFEW_##name = value,
    CURFEW_STATUS_MAP(CURFEW_STATUS_CONSTANT)
#undef CURFEW_STATUS_CONSTANT
};

/*
 * Where a call writes what went wrong. The caller owns it and sets struct_size; every call that
 * takes one accepts NULL. On success it is left alone. `message` always ends with NUL and says
 * what, where, what happened to the tasks concerned, and what to do next.
 */
typedef struct curfew_error {
    uint32_t struct_size;
    curfew_status code;
    char message[1016];
} curfew_error;

/*
 * One launch of a handler. An id with a generation, not a pointer: once the task is over and its
 * last reference is gone, the id is stale for ever and every call that takes it answers
 * CURFEW_STALE. 0 is no task. Ids of different hosts have nothing to do with each other.
 */
typedef uint64_t curfew_task;

/* A host, of host.h. Made by curfew_host_create, freed by curfew_host_destroy. */
typedef struct curfew_host curfew_host;

/* What a handler is for; it sets the default budget and picks the workers. */
typedef int32_t curfew_kind;
enum {
    CURFEW_KIND_APP_REFRESH = 1, /* short: 30 s unless the manifest says otherwise */
    CURFEW_KIND_PROCESSING = 2,  /* long: 10 min unless the manifest says otherwise */
    CURFEW_KIND_HEALTH_RESEARCH = 3,     /* as processing, for studies its user takes part in */
    CURFEW_KIND_CONTINUED_PROCESSING = 4 /* as processing, begun by a user who waits for it */
};

/* How a task ended. A task that is not over has outcome CURFEW_OUTCOME_NONE. */
typedef int32_t curfew_outcome;
enum {
    CURFEW_OUTCOME_NONE = 0,
    CURFEW_OUTCOME_SUCCEEDED = 1,
    CURFEW_OUTCOME_FAILED = 2,
    CURFEW_OUTCOME_EXPIRED = 3,
    CURFEW_OUTCOME_CANCELLED = 4,
    CURFEW_OUTCOME_INTERRUPTED = 5,
    CURFEW_OUTCOME_ABANDONED = 6
};

/* Why a running task was told to stop. */
typedef int32_t curfew_reason;
enum {
    CURFEW_REASON_NONE = 0,      /* it was not */
    CURFEW_REASON_BUDGET = 1,    /* its time is up */
    CURFEW_REASON_CONDITION = 2, /* something it requires was lost: power, network, … */
    CURFEW_REASON_HOST = 3,      /* the embedder asked for it */
    CURFEW_REASON_CANCELLED = 4, /* it was cancelled */
    CURFEW_REASON_SHUTDOWN = 5   /* the host is shutting down */
};

/* The severity of a log line. The last one is the host's: the plugin broke a rule of the contract. */
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
    CURFEW_TYPE_TEXT = 5    /* C: const char *, UTF-8, NUL-terminated when the host passes it */
};

/* One event parameter. Only the member that `type` names is read. In an array every element has
 * the same struct_size, and that is the distance between them. */
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
