/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/host.h: embedding a host. In short:
 *
 *     curfew_host *host;
 *     curfew_error error = {.struct_size = sizeof error};
 *     curfew_task task;
 *     curfew_task_state state = {.struct_size = sizeof state};
 *     const curfew_launch_options keep = {.struct_size = sizeof keep, .keep = true};
 *
 *     if (curfew_host_create(NULL, &host, &error) != CURFEW_OK) …
 *     curfew_host_load_plugin(host, "/usr/lib/curfew/plugins/mirror", &error);
 *     curfew_host_launch(host, "org.example.mirror", &keep, &task, &error);
 *     curfew_host_wait_task(host, task, 60000000000, &state);
 *     curfew_host_release_task(host, task);
 *     curfew_host_destroy(host, NULL, &error);
 *
 * Texts are UTF-8 and NUL-terminated. Identifiers, ids of plugins and names of events and targets have
 * at most 128 bytes, paths at most 4,095. Longer ones, and those that are not UTF-8, are never taken
 * for another text: the call returns CURFEW_INVALID, or CURFEW_NOT_FOUND where it looks for one. Texts
 * for people are cut where they are too long, and repaired where they are not UTF-8.
 *
 * Hosts in one process are independent. No function here changes a signal handler, a signal mask
 * of the caller's threads, the working directory, or the environment. A child that was forked has
 * none of a host's threads: there, call nothing here and only exec. In a signal handler only
 * curfew_host_wake may be called: everything else may take a lock that the interrupted thread holds.
 */
#ifndef CURFEW_HOST_H
#define CURFEW_HOST_H

#include "plugin.h"
#include "requests.h"
#include "types.h"
#include "version.h"

CURFEW_BEGIN_DECLS

/* --- Time ---------------------------------------------------------------------------------- */

/*
 * A clock that stands still until it is advanced, so that a test can own time. Made by
 * curfew_clock_create, given to hosts in their configuration, freed by curfew_clock_destroy after
 * all of them are gone. It starts at 1 s.
 */
typedef struct curfew_clock curfew_clock;

/* Makes a manual clock. Returns CURFEW_OK. */
curfew_status curfew_clock_create(curfew_clock *CURFEW_NULLABLE *CURFEW_NULLABLE out_clock)
    CURFEW_TAG(any, any);

/*
 * Moves the clock by `by_ns`, stopping at every deadline in between in order, and returns once
 * everything that came due has been delivered: expiration callbacks have returned, outcomes are
 * recorded, and their events are queued, or delivered where the host's own thread turns the loop. A
 * function that has completed its task has up to 1 s of real time to return before time passes.
 * Returns CURFEW_OK, or CURFEW_WRONG_THREAD from inside a host that uses the clock.
 */
curfew_status curfew_clock_advance(curfew_clock *clock, uint64_t by_ns) CURFEW_TAG(outside, any);

/* Returns the clock's time. */
uint64_t curfew_clock_get_now_ns(const curfew_clock *clock) CURFEW_TAG(any, any);

/* Sets the clock's date to nanoseconds since 1970 in UTC, as somebody does who sets a machine's clock:
 * no time passes. It begins at 2026-01-01 00:00:00. A date before 1970 or after 2232-04-18, to which
 * no machine's clock can be set, is CURFEW_INVALID; else it returns as curfew_clock_advance. */
curfew_status curfew_clock_set_wall_ns(curfew_clock *clock, int64_t wall_ns) CURFEW_TAG(outside, any);

/* Frees the clock. NULL is a no-op. Returns CURFEW_OK, or CURFEW_WRONG_STATE while a host uses it. */
curfew_status curfew_clock_destroy(curfew_clock *CURFEW_NULLABLE clock) CURFEW_TAG(any, any);

/* --- Making a host ------------------------------------------------------------------------- */

/*
 * Receives a log line: the host's own, or a plugin's (`plugin` is its id, else NULL). One line,
 * UTF-8, no control characters; valid during the call. May be called from any thread, by several
 * at once. It must not call the host: whoever logs may hold up others. What waits, loads, shuts down
 * or asks for requests returns CURFEW_WRONG_THREAD there.
 *
 * A line of CURFEW_LOG_CONTRACT_VIOLATION begins with the code and the name of the rule, which
 * `curfew explain` explains. Of one rule that one plugin breaks again and again the first eight are
 * told, then those whose number is a power of two.
 */
typedef void (*curfew_log_function)(void *CURFEW_NULLABLE log_data, curfew_log_level level,
                                    const char *CURFEW_NULLABLE plugin, curfew_task task,
                                    const char *text, uint64_t text_bytes) CURFEW_TAG(any, any);

/* The workers of one kind of handler. Threads are started when they are needed. */
typedef struct curfew_worker_config {
    uint32_t struct_size;
    uint32_t workers;      /* at most so many; 0: the number of cores, but at least 4 */
    int32_t nice;          /* added to the process' own nice value; 0…19 */
    int32_t io_priority;   /* 0: the process' own; 1…8: best effort, 1 is highest; 9: idle */
    uint64_t stack_bytes;  /* of a worker's stack; 0: the system's default */
} curfew_worker_config;

/* The content that the library of a plugin must have. In an array every element has the same
 * struct_size, and that is the distance between them. Copied. */
typedef struct curfew_plugin_pin {
    uint32_t struct_size;
    uint32_t reserved;                  /* 0 */
    const char *CURFEW_NULLABLE plugin; /* its id; not NULL */
    const char *CURFEW_NULLABLE sha256; /* 64 hexadecimal digits, as sha256sum prints; not NULL */
} curfew_plugin_pin;

/* What a host is made with. All zero but struct_size is a good host. */
typedef struct curfew_host_config {
    uint32_t struct_size;

    /* False: a thread of Curfew's delivers events. True: the embedder turns the loop, with
     * curfew_host_get_event_fd and curfew_host_dispatch. The loop's own thread is the one that did so
     * last, and while none has, any that waits: what waits there turns the loop, so that subscribers
     * are called from inside the wait. Dispatch once, on the right thread, before anybody waits. */
    bool manual_dispatch;
    uint8_t reserved[3]; /* 0 */

    curfew_clock *CURFEW_NULLABLE clock; /* NULL: CLOCK_MONOTONIC. Must outlive the host. */

    curfew_log_function CURFEW_NULLABLE log; /* NULL: warnings and worse go to stderr */
    void *CURFEW_NULLABLE log_data;

    const curfew_worker_config *CURFEW_NULLABLE app_refresh; /* NULL: defaults */
    const curfew_worker_config *CURFEW_NULLABLE processing;  /* NULL: defaults */

    uint32_t task_limit;     /* tasks at a time besides what waits in queues; 0: 65,536 */
    uint32_t queue_limit;    /* tasks waiting for one handler; 0: 4,096; a power of two */
    uint32_t event_limit;    /* events waiting besides done events; 0: 16,384; 4,194,304 at most */
    uint32_t lost_limit;     /* workers one handler may lose; 0: 4 */
    uint64_t lost_after_ns;  /* from the end of the grace until a worker is lost; 0: 5 s */
    uint64_t payload_bytes;  /* largest payload; 0: 1 MiB */
    uint64_t result_bytes;   /* largest result; 0: 1 MiB */

    /* The path of a property list, in XML or binary, that says which handlers the host may have: by
     * their identifiers under BGTaskSchedulerPermittedIdentifiers, where `prefix.*` stands for all
     * that begin so, and by their kinds under UIBackgroundModes, `fetch` for app-refresh and
     * `processing` for all others. It is read once, in curfew_host_create. NULL: all are permitted. */
    const char *CURFEW_NULLABLE permitted;

    /* The plugins that may be loaded, at most 65,536. NULL: all of them. A list is complete: a
     * plugin that is not in it is refused, and with a pin_count of 0 every plugin is. Of several
     * pins of one plugin any may be the right one; a pin in its manifest must agree as well. Needs
     * libcrypto.so.3 (Debian: libssl3). */
    const curfew_plugin_pin *CURFEW_NULLABLE pins;
    uint32_t pin_count;

    /* The libraries of the system whose functions a manifest may name (form `call`), by soname:
     * "libz.so.1"; at most 256. NULL: the usual ones, such as libc.so.6, libm.so.6, libz.so.1 and
     * libsqlite3.so.0, or none where there are pins: a pin is for a library, and the manifest beside
     * it could call anything of the C library's. A list with a count of 0 allows none. */
    uint32_t system_library_count;
    const char *CURFEW_NULLABLE const *CURFEW_NULLABLE system_libraries;

    /* The directory where requests live, which is made where there is none, mode 0700, on a local
     * file system; one host uses it at a time. What was acknowledged survives the process and the
     * machine. NULL: requests live in memory, and are gone with the host. */
    const char *CURFEW_NULLABLE store;
    const curfew_request_config *CURFEW_NULLABLE requests; /* NULL: defaults */

    /* Tasks that wait for a handler when it is quarantined, because a worker that ran it is lost.
     * False: they wait until curfew_host_release_handler, and have no done event before. True: they end as
     * CURFEW_OUTCOME_INTERRUPTED, each with its done event; of a request, the attempt does not count
     * and the request waits for the handler. */
    bool interrupt_quarantined;
} curfew_host_config;

/*
 * Makes a host. The configuration is copied. On success *out_host is the caller's, to be given to
 * curfew_host_destroy. Returns CURFEW_OK, CURFEW_INVALID (a value of the configuration is out of
 * range, or the list of permitted handlers cannot be used), CURFEW_SYSTEM, or, of the store,
 * CURFEW_DENIED or one of the CURFEW_STORE_… statuses.
 */
curfew_status curfew_host_create(const curfew_host_config *CURFEW_NULLABLE config,
                                 curfew_host *CURFEW_NULLABLE *CURFEW_NULLABLE out_host,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* How long a shutdown may take, in real time. 0 means the default. */
typedef struct curfew_shutdown_options {
    uint32_t struct_size;
    uint32_t reserved;  /* 0 */
    uint64_t drain_ns;  /* let tasks go on and queued ones start; default: none, expire at once */
    uint64_t expire_ns; /* wait for answers after expiration; default: the longest grace, + 1 s */
    uint64_t leave_ns;  /* wait for functions to return, and for each plugin's retire function
                           anew; default: 1 s */
} curfew_shutdown_options;

/*
 * Ends a host's work in four bounded phases: nothing new is taken in (CURFEW_CLOSING) and every
 * wait wakes with CURFEW_CLOSING; tasks may finish; the rest is told to stop with
 * CURFEW_REASON_SHUTDOWN; whoever has not answered is interrupted. Queued tasks that never started
 * are interrupted too. Done events still queued can be dispatched afterwards, by
 * curfew_host_dispatch; where Curfew's own thread turns the loop they have been delivered.
 * A second call does nothing.
 *
 * Returns CURFEW_OK; CURFEW_WRONG_THREAD from the host's own callbacks, events or plugin code; or
 * CURFEW_TIMED_OUT when a function of a plugin has not returned: the message names it.
 */
curfew_status curfew_host_shutdown(curfew_host *host,
                                   const curfew_shutdown_options *CURFEW_NULLABLE options,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

/*
 * Shuts the host down unless that is done, retires its plugins and frees it. NULL is a no-op. With
 * CURFEW_OK or CURFEW_TIMED_OUT the handle is gone; in the latter case a thread never came back, be
 * it from a handler, from a plugin's retire function or from a destructor of thread-local data, and
 * the memory it may touch is kept for the life of the process (see curfew_get_leaked_host_count). With
 * CURFEW_OK every thread of the host has ended, its destructors included.
 * CURFEW_WRONG_THREAD: nothing happened.
 */
curfew_status curfew_host_destroy(curfew_host *CURFEW_NULLABLE host,
                                  const curfew_shutdown_options *CURFEW_NULLABLE options,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

/* Returns how many destroyed hosts had to leave memory behind for a thread that never came back. */
uint32_t curfew_get_leaked_host_count(void) CURFEW_TAG(any, any);

/* --- Plugins and handlers ------------------------------------------------------------------ */

/*
 * Reads the manifests of the plugins in `directory`, one directory each, without loading code, and
 * adds them to the host's list in state CURFEW_PLUGIN_PHASE_VALIDATED; faulty ones are listed as
 * CURFEW_PLUGIN_PHASE_FAILED with the fault as their reason. Returns CURFEW_OK, also when faulty ones
 * were found, CURFEW_SYSTEM when the directory cannot be read, CURFEW_CLOSING, or CURFEW_WRONG_THREAD.
 */
curfew_status curfew_host_scan_plugins(curfew_host *host, const char *directory,
                               uint32_t *CURFEW_NULLABLE out_found,
                               curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, open);

/*
 * Looks for plugins in the usual directories, as curfew_host_scan_plugins does in one; without this call
 * none is looked for. Nothing is loaded. The directories are those of the environment variable
 * CURFEW_PLUGIN_PATH, with colons between two, or else in this order
 *
 *     $XDG_DATA_HOME/curfew/plugins, by default ~/.local/share/curfew/plugins
 *     /usr/local/lib/curfew/plugins
 *     /usr/lib/curfew/plugins
 *
 * The environment is ignored where the process has rights that its caller has not (AT_SECURE).
 * A directory may be missing, and one of CURFEW_PLUGIN_PATH may be that of a single plugin. Of two
 * plugins with the same id the first one counts; the other is listed as CURFEW_PLUGIN_PHASE_SHADOWED,
 * with the first one's directory in its reason. *out_found tells how many were found, faulty and
 * shadowed ones included. Returns CURFEW_OK, CURFEW_CLOSING or CURFEW_WRONG_THREAD.
 */
curfew_status curfew_host_discover_plugins(curfew_host *host, uint32_t *CURFEW_NULLABLE out_found,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, open);

/*
 * Loads the plugin in `directory`: checks manifest.json and the library's pins, ABI note and entry
 * before any of its code runs, loads the library, calls its entry once and compares what it
 * registered with the manifest: neither may have a handler the other has not. Handlers of form
 * `subs` or `call` need no entry: the functions they are made of are looked for in the library, or
 * in a library of the system that the configuration allows. The library is never unmapped. For each
 * handler the event `registering<event>_done(bool, text)` is raised, with false and the reason where
 * the plugin was refused after its manifest was read.
 *
 * Directory, manifest and library, and every directory on the way to them, must belong to root or
 * to the process' effective user, and must not be writable by others; a directory on the way may
 * when it is sticky, as /tmp is. The two files must not be symbolic links. The library is copied
 * once and loaded from the copy, in memory nobody can write to: what becomes of the file
 * afterwards changes nothing. Hosts that load the same content from the same path share one image.
 * For tools that read code from files only, as valgrind and perf do, the environment variable
 * CURFEW_PLUGIN_COPIES names a directory, nobody else's, where the copies are made and stay.
 *
 * One plugin is loaded at a time in a process; the call waits while another host loads one. What a
 * library changes meanwhile is put back, and counted and logged as misbehaviour: what signals do,
 * this thread's signal mask, alternate signal stack and floating-point control, the umask, the
 * working directory, and, where the process still may, the user and group ids and the root directory.
 * That it closed descriptors of the host's is told as well. No other thread should change those
 * during the call: it could not be told apart.
 *
 * Returns CURFEW_OK; CURFEW_REFUSED (manifest or library), CURFEW_ABI_MISMATCH, CURFEW_EXISTS (an
 * identifier, an event or the plugin's id is taken; what is there stays), CURFEW_DENIED (a handler
 * is not in the host's list of permitted ones), CURFEW_FAILED (the entry said no), CURFEW_SYSTEM,
 * CURFEW_CLOSING, CURFEW_WRONG_THREAD (also inside the entry of a plugin that another host loads).
 */
curfew_status curfew_host_load_plugin(curfew_host *host, const char *directory,
                               curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, open);

/* How a handler of the embedder's own is run. 0 means the default; a manifest has the same ones, but
 * must name the kind. */
typedef struct curfew_handler_options {
    uint32_t struct_size;
    curfew_kind kind;                   /* default: CURFEW_KIND_APP_REFRESH */
    uint64_t budget_ns;                 /* default: by kind, 30 s or 10 min */
    uint64_t grace_ns;                  /* default: 5 s */
    uint32_t max_concurrency;           /* default: 1 */
    uint32_t reserved;                  /* 0 */
    const char *CURFEW_NULLABLE event;  /* default: the identifier's last component */
    /* More events its tasks may raise, each as "name(bool,text)", with the types of curfew_type;
     * an array that ends with NULL. Default: none. */
    const char *CURFEW_NULLABLE const *CURFEW_NULLABLE events;
} curfew_handler_options;

/*
 * Registers a handler of the embedder's own; it is treated like a plugin's, and its functions must
 * stay valid until the host is destroyed. Raises `registering<event>_done(bool, text)`. Returns
 * CURFEW_OK, CURFEW_EXISTS, CURFEW_DENIED (it is not in the host's list of permitted handlers),
 * CURFEW_INVALID or CURFEW_CLOSING.
 */
curfew_status curfew_host_register_handler(curfew_host *host, const curfew_handler *handler,
                                   const curfew_handler_options *CURFEW_NULLABLE options,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* The table for the embedder's own handlers and threads; the host's, valid until it is destroyed. */
const curfew_host_api *curfew_host_get_api(curfew_host *host) CURFEW_TAG(any, any);

/* The state of a plugin. */
typedef int32_t curfew_plugin_phase;
enum {
    CURFEW_PLUGIN_PHASE_VALIDATED = 1, /* its manifest is fine; not loaded */
    CURFEW_PLUGIN_PHASE_READY = 2,     /* loaded and registered */
    CURFEW_PLUGIN_PHASE_RETIRED = 3,   /* no longer used; the image stays mapped */
    CURFEW_PLUGIN_PHASE_FAILED = 4,    /* refused; see reason */
    CURFEW_PLUGIN_PHASE_SHADOWED = 5   /* its manifest is fine; one with the same id comes first */
};

/* A plugin, as the host knows it. The texts are the host's, valid until it is destroyed. */
typedef struct curfew_plugin_state {
    uint32_t struct_size; /* set by the caller */
    curfew_plugin_phase status;
    const char *id;        /* "" when the manifest could not be read */
    const char *version;   /* likewise */
    const char *directory; /* as it was given */
    const char *reason;    /* why it failed or what shadows it, or "" */
    uint32_t handlers;     /* how many it declares */
    uint32_t reserved;
} curfew_plugin_state;

/* Returns how many plugins were scanned or loaded. Indices stay as they are. */
uint32_t curfew_host_get_plugin_count(curfew_host *host) CURFEW_TAG(any, any);

/* Fills *out_state for the plugin at `index`. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_INVALID. */
curfew_status curfew_host_get_plugin(curfew_host *host, uint32_t index,
                                    curfew_plugin_state *out_state) CURFEW_TAG(any, any);

/* A handler, as the host knows it. The texts are the host's, valid until it is destroyed. */
typedef struct curfew_handler_state {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;
    const char *identifier;
    const char *plugin; /* the plugin's id, "" for the embedder's own */
    const char *event;  /* the base of its events' names */
    uint64_t budget_ns;
    uint64_t grace_ns;
    uint32_t max_concurrency;
    uint32_t queued;
    uint32_t active;      /* places taken: functions that have not returned */
    uint32_t lost;        /* workers it has lost and not given back */
    bool paused;
    bool quarantined;
    uint8_t reserved[6];
    const char *quarantine_reason; /* or "" */
    uint64_t launched;
    uint64_t ended[8]; /* how many ended so, by CURFEW_OUTCOME_ constant */
} curfew_handler_state;

/* Returns how many handlers are registered. Indices stay as they are. */
uint32_t curfew_host_get_handler_count(curfew_host *host) CURFEW_TAG(any, any);

/* Fills *out_state for the handler at `index`. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_INVALID. */
curfew_status curfew_host_get_handler(curfew_host *host, uint32_t index,
                                     curfew_handler_state *out_state) CURFEW_TAG(any, any);

/* Finds the index of a handler by its identifier; launching by index saves the look-up. Returns
 * CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_find_handler(curfew_host *host, const char *identifier,
                                       uint32_t *out_index) CURFEW_TAG(any, any);

/* Stops starting tasks of a handler, or of all when identifier is NULL; they wait in their queue,
 * and running ones go on. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_pause_handler(curfew_host *host, const char *CURFEW_NULLABLE identifier)
    CURFEW_TAG(any, any);

/* Undoes curfew_host_pause_handler. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_resume_handler(curfew_host *host, const char *CURFEW_NULLABLE identifier)
    CURFEW_TAG(any, any);

/* Lifts the quarantine of a handler whose worker was lost. Returns CURFEW_OK (also when it was not
 * quarantined) or CURFEW_NOT_FOUND. */
curfew_status curfew_host_release_handler(curfew_host *host, const char *identifier) CURFEW_TAG(any, any);

/* --- Tasks --------------------------------------------------------------------------------- */

/* How a task is launched. */
typedef struct curfew_launch_options {
    uint32_t struct_size;

    /* Take a reference for the launcher: the id, its outcome and its result stay readable until
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
 * Launches a handler: one more task in its queue. Never blocks.
 *
 * Returns CURFEW_OK; CURFEW_NOT_FOUND; CURFEW_BUSY (its queue is full), CURFEW_EXHAUSTED (task or
 * lost-worker limit, or no memory for the payload), CURFEW_QUARANTINED, CURFEW_TOO_LARGE (payload),
 * CURFEW_INVALID or CURFEW_CLOSING. Unless CURFEW_OK, nothing was launched and no event follows.
 */
curfew_status curfew_host_launch(curfew_host *host, const char *identifier,
                                 const curfew_launch_options *CURFEW_NULLABLE options,
                                 curfew_task *CURFEW_NULLABLE out_task,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* The same for the handler at `index`, without a look-up. */
curfew_status curfew_host_launch_by_index(curfew_host *host, uint32_t index,
                                    const curfew_launch_options *CURFEW_NULLABLE options,
                                    curfew_task *CURFEW_NULLABLE out_task,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/*
 * Cancels a task. One that has not started never will, and its done event follows at once; one
 * that runs is told to stop with CURFEW_REASON_CANCELLED. Returns CURFEW_OK, CURFEW_ALREADY (it is
 * over, or was told to stop before) or CURFEW_STALE.
 */
curfew_status curfew_host_cancel_task(curfew_host *host, curfew_task task) CURFEW_TAG(any, any);

/*
 * Tells a task that runs to stop, with CURFEW_REASON_CONDITION or CURFEW_REASON_HOST; its outcome
 * will be CURFEW_OUTCOME_EXPIRED. Returns CURFEW_OK, CURFEW_ALREADY, CURFEW_STALE, CURFEW_INVALID
 * (another reason) or CURFEW_WRONG_STATE (it has not started: cancel it).
 */
curfew_status curfew_host_stop_task(curfew_host *host, curfew_task task, curfew_reason reason)
    CURFEW_TAG(any, any);

/* Holds back a task that has not started; others of its handler pass it. Returns CURFEW_OK,
 * CURFEW_WRONG_STATE (it has started), CURFEW_ALREADY or CURFEW_STALE. */
curfew_status curfew_host_pause_task(curfew_host *host, curfew_task task) CURFEW_TAG(any, any);

/* Lets a task go that was held back; it takes its place at the end of its handler's queue if its
 * turn had come meanwhile. Returns CURFEW_OK, CURFEW_WRONG_STATE (it was not held back), CURFEW_BUSY
 * (the queue is full; it is still held back), CURFEW_ALREADY or CURFEW_STALE. */
curfew_status curfew_host_resume_task(curfew_host *host, curfew_task task) CURFEW_TAG(any, any);

/* Where a task is. */
typedef int32_t curfew_task_phase;
enum {
    CURFEW_TASK_PHASE_QUEUED = 1,
    CURFEW_TASK_PHASE_PAUSED = 2,     /* queued, and paused */
    CURFEW_TASK_PHASE_RUNNING = 3,  /* inside its function */
    CURFEW_TASK_PHASE_PENDING = 4,  /* its function has returned CURFEW_PENDING */
    CURFEW_TASK_PHASE_STOPPING = 5, /* told to stop, not answered yet; or its end is being written */
    CURFEW_TASK_PHASE_OVER = 6
};

/* A task, as the host knows it. */
typedef struct curfew_task_state {
    uint32_t struct_size; /* set by the caller */
    curfew_task_phase phase;
    curfew_outcome outcome;
    curfew_reason reason;
    bool answered;       /* after it was told to stop, it answered within its grace */
    bool returned;       /* its function is not running: it has returned, or was never entered */
    bool end_waits;      /* it is over, and the store of its request could not write that down yet:
                            the host tries again, and the outcome and the done event come then. A host
                            that is shut down before tells of an interrupted launch, which is what the
                            next one finds: it launches the request again */
    uint8_t reserved;
    uint32_t attempt;
    const char *identifier; /* the host's, valid until it is destroyed */
    uint64_t started_ns;    /* on the host's clock; 0: never entered */
    uint64_t budget_ns;
    uint64_t grace_ns;
    double progress;        /* the last reported fraction, or 0 */
    uint64_t error_bytes;   /* length of its error text; read it with curfew_host_read_task_error */
    uint64_t result_bytes;  /* length of its result; read it with curfew_host_read_task_result */
} curfew_task_state;

/* Fills *out_state. Returns CURFEW_OK, CURFEW_STALE or CURFEW_INVALID. */
curfew_status curfew_host_get_task(curfew_host *host, curfew_task task, curfew_task_state *out_state)
    CURFEW_TAG(any, any);

/*
 * Waits until the task is over, `timeout_ns` of real time at most (0: only looks), and fills
 * *out_state. Keep the task: a stale one has no outcome to tell. On the loop's own thread it turns
 * the loop meanwhile. Returns CURFEW_OK, CURFEW_TIMED_OUT, CURFEW_STALE, CURFEW_INVALID,
 * CURFEW_WRONG_THREAD (on a worker or watcher), CURFEW_CLOSING when shutdown begins, or
 * CURFEW_EXHAUSTED where 256 waits stand inside each other's events.
 */
curfew_status curfew_host_wait_task(curfew_host *host, curfew_task task, uint64_t timeout_ns,
                               curfew_task_state *CURFEW_NULLABLE out_state) CURFEW_TAG(any, any);

/* Copies up to `capacity_bytes` of the result of a task that is over to `buffer`, the caller's.
 * *out_bytes is the whole length. Returns CURFEW_OK, CURFEW_TOO_LARGE (it was cut),
 * CURFEW_WRONG_STATE (not over) or CURFEW_STALE. */
curfew_status curfew_host_read_task_result(curfew_host *host, curfew_task task,
                                      void *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                      uint64_t *CURFEW_NULLABLE out_bytes) CURFEW_TAG(any, any);

/* The same for the text of the done event, "" after success. No NUL is added. */
curfew_status curfew_host_read_task_error(curfew_host *host, curfew_task task,
                                     char *CURFEW_NULLABLE buffer, uint64_t capacity_bytes,
                                     uint64_t *CURFEW_NULLABLE out_bytes) CURFEW_TAG(any, any);

/* Takes a reference for the embedder. Returns CURFEW_OK, CURFEW_STALE or CURFEW_EXHAUSTED (30 at a
 * time). */
curfew_status curfew_host_keep_task(curfew_host *host, curfew_task task) CURFEW_TAG(any, any);

/* Drops a reference of the embedder's: the launcher's, or one taken by curfew_host_keep_task. Returns
 * CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE when the embedder holds none. */
curfew_status curfew_host_release_task(curfew_host *host, curfew_task task) CURFEW_TAG(any, any);

/* --- Events -------------------------------------------------------------------------------- */

/*
 * Events are named by a selector: the name, and one colon for each parameter, `tidy_done::`. The
 * host raises for a handler with event `tidy`:
 *
 *     registeringtidy_done::  (bool success, text error)     after it was registered, or not
 *     tidy_progress::         (double fraction, text)        when a task reports progress
 *     tidy_expired            ()                             when a task is told to stop
 *     tidy_done::             (bool success, text error)     once a task is over
 *     schedulingtidy_done::   (bool success, text error)     after a request was submitted, or not
 *
 * and `curfew_gap:` (int64 lost) where events other than done events had to be dropped.
 */
typedef struct curfew_event {
    uint32_t struct_size;
    uint32_t count;             /* of values */
    const char *selector;
    const curfew_value *values; /* texts are NUL-terminated too */
    curfew_task task;           /* the task it is about, good during delivery; or 0 */
    uint64_t sequence;          /* 1, 2, 3, … in the order of delivery; a gap counts what it lost */
} curfew_event;

/* Receives an event. It is the host's and valid during the call; one is delivered at a time. May
 * call everything that is not tagged `outside`. */
typedef void (*curfew_event_function)(void *CURFEW_NULLABLE event_data, const curfew_event *event)
    CURFEW_TAG(loop, any);

/* A subscription, or an expectation; 0 is none. */
typedef uint64_t curfew_subscription;

/* A function of any signature, to be cast to and from. */
typedef void (*curfew_any_function)(void) CURFEW_TAG(loop, any);

/*
 * Subscribes a C function with exactly the parameters the event declares, for example
 * `void tidy_done(bool success, const char *error)` to "tidy_done::"; the texts are valid during
 * the call. Inside it curfew_host_get_sender tells the task. The event must be known already: load
 * the plugin first. Returns CURFEW_OK, CURFEW_NOT_FOUND or CURFEW_INVALID.
 */
curfew_status curfew_host_subscribe(curfew_host *host, const char *selector,
                                    curfew_any_function function,
                                    curfew_subscription *CURFEW_NULLABLE out_subscription,
                                    curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Subscribes one generic function to an event, or to all of them when selector is NULL; then it
 * also sees those that a wait took. An event that is not known yet may be named. Returns CURFEW_OK
 * or CURFEW_INVALID.
 */
curfew_status curfew_host_observe(curfew_host *host, const char *CURFEW_NULLABLE selector,
                                  curfew_event_function function,
                                  void *CURFEW_NULLABLE event_data,
                                  curfew_subscription *CURFEW_NULLABLE out_subscription,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Ends a subscription. On return the function is not running and will not be called, unless the
 * caller is inside it. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_unsubscribe(curfew_host *host, curfew_subscription subscription)
    CURFEW_TAG(any, any);

/*
 * Expects an event: from now on the next one that matches is kept for curfew_host_collect_event, and
 * subscribers to that selector do not see it. Expect first, then launch, and nothing can be missed.
 *
 * task:    only events about this task; 0: about any or none. Filtered expectations come first.
 * context: an expectation with the same selector, task and context replaces the older one, which
 *          is told CURFEW_REPLACED. Use an address of your own to stay apart.
 *
 * Every expectation is collected once, also one that was replaced: 65,536 may be open.
 *
 * Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED or CURFEW_CLOSING.
 */
curfew_status curfew_host_expect_event(curfew_host *host, const char *selector, curfew_task task,
                                 const void *CURFEW_NULLABLE context,
                                 curfew_subscription *out_expectation) CURFEW_TAG(any, open);

/*
 * Waits for an expected event, `timeout_ns` of real time at most, and ends the expectation. On the
 * loop's own thread it turns the loop meanwhile. With CURFEW_OK *out_event is the caller's, to be
 * given to curfew_event_free. Returns CURFEW_OK, CURFEW_TIMED_OUT, CURFEW_REPLACED, CURFEW_CLOSING,
 * CURFEW_NOT_FOUND, CURFEW_WRONG_THREAD (on a worker or watcher), or CURFEW_EXHAUSTED where 256
 * waits stand inside each other's events: then the expectation stays.
 */
curfew_status curfew_host_collect_event(curfew_host *host, curfew_subscription expectation,
                                  uint64_t timeout_ns,
                                  curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_event)
    CURFEW_TAG(any, any);

/* curfew_host_expect_event and curfew_host_collect_event in one. */
curfew_status curfew_host_wait_event(curfew_host *host, const char *selector, curfew_task task,
                                     const void *CURFEW_NULLABLE context, uint64_t timeout_ns,
                                     curfew_event *CURFEW_NULLABLE *CURFEW_NULLABLE out_event)
    CURFEW_TAG(any, open);

/* Frees an event that curfew_host_collect_event or curfew_host_wait_event returned. NULL is a no-op. */
void curfew_event_free(curfew_event *CURFEW_NULLABLE event) CURFEW_TAG(any, any);

/* Returns the task the event being delivered on this thread is about, or 0. */
curfew_task curfew_host_get_sender(curfew_host *host) CURFEW_TAG(loop, any);

/* Raises an event of the embedder's own, about no task: queued like all others. The parameters are
 * copied. Names with a handler's or the host's own are refused. Returns CURFEW_OK, CURFEW_DENIED,
 * CURFEW_INVALID, CURFEW_BUSY, CURFEW_EXHAUSTED (32,768 names are known that no handler declares)
 * or CURFEW_CLOSING. */
curfew_status curfew_host_raise_event(curfew_host *host, const char *selector,
                                const curfew_value *CURFEW_NULLABLE values, uint32_t count)
    CURFEW_TAG(any, open);

/* Returns a descriptor that is readable while events wait, for poll or epoll; the host's, never
 * to be read or closed. -1 where Curfew's own thread turns the loop. */
int32_t curfew_host_get_event_fd(curfew_host *host) CURFEW_TAG(any, any);

/* Makes curfew_host_get_event_fd readable once, though no event waits, so that the thread that polls it
 * looks around: curfew_host_dispatch clears it. Async-signal-safe (signal-safety(7)), and leaves
 * errno alone: the one function here for signal handlers, which set a flag and call it. */
void curfew_host_wake(curfew_host *host) CURFEW_TAG(any, any);

/*
 * Delivers up to `limit` waiting events (0: all that wait now) on this thread, which becomes the
 * loop's. *out_delivered tells how many. Returns CURFEW_OK, CURFEW_WRONG_STATE (Curfew's own thread
 * turns the loop, and shutdown is not over), or CURFEW_WRONG_THREAD (another thread is at it, or
 * this one is inside an event).
 */
curfew_status curfew_host_dispatch(curfew_host *host, uint32_t limit,
                                   uint32_t *CURFEW_NULLABLE out_delivered)
    CURFEW_TAG(outside, any);

/* --- Counts -------------------------------------------------------------------------------- */

/* What a host has counted since it was made. */
typedef struct curfew_counts {
    uint32_t struct_size; /* set by the caller */
    uint32_t workers;     /* threads running now */
    uint32_t watchers;
    uint32_t lost_workers;       /* functions that have not come back */
    uint64_t launched;
    uint64_t ended[8];           /* by CURFEW_OUTCOME_ constant */
    uint64_t events_delivered;   /* taken by a wait or at least one subscriber */
    uint64_t events_unhandled;     /* nobody wanted them */
    uint64_t events_lost;        /* dropped because the queue was full */
    uint64_t misbehaviours;      /* rules broken by plugins; see the log */
    uint64_t wakeups;            /* of sleeping workers, watchers and the event loop */
} curfew_counts;

/* Fills *out_counts. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_get_counts(curfew_host *host, curfew_counts *out_counts) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_HOST_H */
