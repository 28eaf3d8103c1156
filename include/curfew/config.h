/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/config.h: the configuration of a host and of its requests. A configuration that is zero
 * but for struct_size is a good one.
 */
#ifndef CURFEW_CONFIG_H
#define CURFEW_CONFIG_H

#include "clock.h"
#include "types.h"

CURFEW_BEGIN_DECLS

/*
 * Receives one log line, of the host or of a plugin.
 *
 * log_data: as given in the configuration.
 * plugin:   the plugin's id, or NULL for a line of the host's.
 * task:     the task the line is about, or 0.
 * text:     one line of UTF-8 without control characters, valid during the call.
 *
 * Called from any thread, also from several at once. The function must not call the host, because
 * the thread that logs may hold a lock: calls that wait, load, shut down or concern requests return
 * CURFEW_WRONG_THREAD here.
 *
 * A line of CURFEW_LOG_CONTRACT_VIOLATION begins with the code and the name of a rule, which
 * `curfew explain` explains. When one plugin violates one rule again and again, the first eight
 * violations are logged, then those whose number is a power of two.
 */
typedef void (*curfew_log_function)(void *CURFEW_NULLABLE log_data, curfew_log_level level,
                                    const char *CURFEW_NULLABLE plugin, curfew_task task,
                                    const char *text, uint64_t text_bytes) CURFEW_TAG(any, any);

/* The worker threads of one kind of handler. Threads are started when they are needed. */
typedef struct curfew_worker_config {
    uint32_t struct_size;
    uint32_t workers;      /* the most threads, 1…256; 0: the number of cores, but at least 4 */
    int32_t nice;          /* added to the nice value of the process; 0…19 */
    int32_t io_priority;   /* 0: that of the process; 1…8: best effort, 1 is highest; 9: idle */
    uint64_t stack_bytes;  /* of each thread's stack, 65,536…4 GiB; 0: the system's default */
} curfew_worker_config;

/* The digest that the library of a plugin must have. In an array all elements have the same
 * struct_size, which is the distance between them. Copied. */
typedef struct curfew_plugin_pin {
    uint32_t struct_size;
    uint32_t reserved;                  /* 0 */
    const char *CURFEW_NULLABLE plugin; /* its id; required */
    const char *CURFEW_NULLABLE sha256; /* 64 hexadecimal digits, as sha256sum prints; required */
} curfew_plugin_pin;

/* Where the code of one plugin runs. In an array all elements have the same struct_size, which is the
 * distance between them. Copied. */
typedef struct curfew_plugin_isolation {
    uint32_t struct_size;
    curfew_isolation isolation;         /* required */
    const char *CURFEW_NULLABLE plugin; /* its id; required */
} curfew_plugin_isolation;

/* The configuration of requests; see requests.h. */
typedef struct curfew_request_config {
    uint32_t struct_size;

    /* The most pending requests of each kind; 0: no limit of the kind. The hosts of Apple's modules
     * set 1 of app-refresh, 10 of every other kind. */
    uint32_t app_refresh_limit;
    uint32_t processing_limit;
    uint32_t health_research_limit;
    uint32_t continued_processing_limit;

    /* A request is parked after this many ends of the process during its task, in the last of which
     * the task ran alone; 0: 3. */
    uint32_t crash_limit;

    /* Requests that are over are kept for this long, and at most this many; 0: 7 days, 10,000. */
    uint64_t history_ns;
    uint32_t history_limit;

    uint32_t place_limit;  /* the most tasks of requests that run at a time, counted separately for
                              short and for long kinds; 0: 64 */
    uint64_t debounce_ns;  /* a change of a factor has to last this long before it counts; 0: 5 s */
    uint64_t spacing_ns;   /* between two launches of a handler; 0: none */
    uint64_t penalty_ns;   /* before the next launch of a handler that did not complete its task;
                              doubles with each in a row, up to 24 h; 0: 5 min */
    uint64_t day_launches; /* a day's budget of launches, */
    uint64_t day_wall_ns;  /* of running time, */
    uint64_t day_cpu_ns;   /* and of processor time; 0: no limit */

    /* Launches wait for an hour of the day at which the app is used at least this much, 0…1;
     * 0: they do not wait. */
    double usage_threshold;

    bool reads_machine;    /* read power, battery, temperature, … of the machine from the kernel */
    bool no_debounce;      /* changes of factors count at once, whatever debounce_ns is */
    bool no_penalty;       /* a missed completion has no penalty, whatever penalty_ns is */
    bool no_throttle;      /* requests without a date are not throttled, whatever throttle_ns is */
    uint8_t reserved[4];   /* 0 */

    /* The longest throttle interval. A request without a date waits where its identifier had such
     * launches lately: 1 s after the first, then twice as long after each, up to this. 0: 15 min,
     * and no throttling on a manual clock. Throttled are requests that a handler submits, unless it
     * says CURFEW_ON_PENDING_ADD, and those that replace or keep pending ones; but none of continued
     * processing. */
    uint64_t throttle_ns;

    uint32_t identifier_limit; /* the most pending requests of an identifier; 0: 10,000 */
    uint32_t pending_limit;    /* the most pending requests in all; 0: 1,000,000 */

    /* From when on the machine that reads_machine reads is idle, short of power and overloaded.
     * Pressure is the share of 10 s, or of a minute, in which some task waited for a processor, or
     * all of them for memory or disks. In percent, 1…100; 100 is never exceeded. */
    uint64_t idle_after_ns;         /* since the last key at a terminal; 0: 5 min */
    uint8_t low_battery;            /* a battery that discharges is nearly empty below; 0: 20 */
    uint8_t processor_pressure_10s; /* 0: 80 */
    uint8_t processor_pressure_60s; /* 0: 60 */
    uint8_t memory_pressure_10s;    /* 0: 20 */
    uint8_t memory_pressure_60s;    /* 0: 10 */
    uint8_t disk_pressure_10s;      /* 0: 80 */
    uint8_t disk_pressure_60s;      /* 0: 60 */
    uint8_t reserved2;              /* 0 */
} curfew_request_config;

/* The configuration of a host. */
typedef struct curfew_host_config {
    uint32_t struct_size;

    /* False: the host has an event thread, which delivers events. True: the embedder delivers them,
     * with curfew_host_get_event_fd and curfew_host_dispatch on its own loop. The thread that
     * dispatched last is the loop's thread; before the first dispatch it is any thread that waits,
     * and subscribers are called from inside that wait. Dispatch once on the right thread before
     * any thread waits. */
    bool manual_dispatch;
    uint8_t reserved[3]; /* 0 */

    curfew_clock *CURFEW_NULLABLE clock; /* NULL: CLOCK_MONOTONIC. Must outlive the host. */

    curfew_log_function CURFEW_NULLABLE log; /* NULL: warnings and errors go to stderr */
    void *CURFEW_NULLABLE log_data;

    const curfew_worker_config *CURFEW_NULLABLE app_refresh; /* NULL: defaults */
    const curfew_worker_config *CURFEW_NULLABLE processing;  /* NULL: defaults; of all other kinds */

    uint32_t task_limit;     /* tasks at a time, queued ones not counted, 2…1,048,576; 0: 65,536 */
    uint32_t queue_limit;    /* queued tasks of one handler, a power of two, 2…65,536; 0: 4,096 */
    uint32_t event_limit;    /* queued events, done events not counted, 1…4,194,304; 0: 16,384.
                              * Their texts may have 64 MiB. */
    uint32_t lost_limit;     /* workers that one handler may lose; 0: 4 */
    uint64_t lost_after_ns;  /* from the end of the grace until a worker is lost; 0: 5 s */
    uint64_t max_payload_bytes; /* of a task, at most 2 GiB; 0: 1 MiB */
    uint64_t max_result_bytes;  /* of a task, at most 2 GiB; 0: 1 MiB */

    /* The path of a property list, XML or binary, with the handlers that are permitted: their
     * identifiers under BGTaskSchedulerPermittedIdentifiers, where `prefix.*` permits all that
     * begin so, and their kinds under UIBackgroundModes, `fetch` for app-refresh and `processing`
     * for all others. Read once, in curfew_host_create. NULL: all are permitted. */
    const char *CURFEW_NULLABLE permitted;

    /* The plugins that may be loaded, at most 65,536. NULL: all of them. A list is complete: a
     * plugin that is not in it is refused, and a pin_count of 0 refuses every plugin. Where a
     * plugin has several pins, one of them has to match; a pin in its manifest must match as well.
     * Needs libcrypto.so.3 (Debian: libssl3). */
    const curfew_plugin_pin *CURFEW_NULLABLE pins;
    uint32_t pin_count;

    /* The libraries of the system whose functions a manifest may name (form `call`), by soname:
     * "libz.so.1"; at most 256. NULL: the usual ones, such as libc.so.6, libm.so.6, libz.so.1 and
     * libsqlite3.so.0; but none where there are pins, since a pin covers the library and not the
     * manifest beside it, which could call any function of the C library. A count of 0 allows none.
     * */
    uint32_t system_library_count;
    const char *CURFEW_NULLABLE const *CURFEW_NULLABLE system_libraries;

    /* The directory of the request store, on a local file system. It is made where it is missing,
     * with mode 0700; one host uses it at a time. An acknowledged request survives a crash of the
     * process and of the machine. NULL: requests are in memory and end with the host.
     *
     * Or the URL of a database of PostgreSQL 15 or later, which begins with postgresql:// or
     * postgres://, as libpq reads it, with three parameters besides: curfew.schema, whose tables are
     * the store (default: curfew), curfew.lease, the seconds of silence after which other hosts take
     * this one's requests over (default: 30; all hosts of a store take the same), and
     * curfew.pooled=1 behind a pooler that gives each transaction another connection. Any number of
     * hosts use such a store; numbers of requests grow, and some are left out. While the server does
     * not answer nothing is launched, and before other hosts may take over, tasks are told to stop
     * (but see curfew_lease_loss).
     * Needs libpq.so.5 (Debian: libpq5). Put passwords into ~/.pgpass rather than into the URL. */
    const char *CURFEW_NULLABLE store;
    const curfew_request_config *CURFEW_NULLABLE requests; /* NULL: defaults */

    /* What happens to the queued tasks of a handler that is quarantined because a worker that ran
     * it is lost. False: they wait for curfew_host_release_handler. True: they end at once with
     * CURFEW_OUTCOME_INTERRUPTED and their done events; for a request, that attempt does not count,
     * and the request waits for the handler. */
    bool interrupt_quarantined;

    /* Loads the plugins of the standard directories in curfew_host_create, as curfew_host_load_all
     * does. Those that fail are logged and listed, and the host is created all the same. */
    bool load_plugins;

    /* Runs the programs of requests whose identifier is "org.curfew.command", such as those of
     * `curfew submit -- PROGRAM`, as the host's user. A process that can write to the store can
     * run any program then. False: such requests wait. */
    bool permits_commands;
    uint8_t reserved2; /* 0 */

    /* Where the code of plugins runs; 0: CURFEW_ISOLATION_THREAD. A plugin gets more all the same
     * where its manifest asks for it, and a process where it has a handler of the form `call`, whose
     * signature nothing can check. Where no process can be started the plugin is refused with CURFEW_SYSTEM;
     * it is never run with less. What a process prints is logged under the plugin's id, 64 KiB of
     * each output a task. */
    curfew_isolation isolation;
    uint32_t isolation_count; /* at most 65,536 */
    /* Decides for single plugins, whatever their manifests ask for. NULL: for none. A plugin that
     * gets less than it asks for has a warning in the log. */
    const curfew_plugin_isolation *CURFEW_NULLABLE isolations;

    /* From the end of the grace until the process of a function that has not returned is killed;
     * 0: 1 s. Other running tasks of that plugin are interrupted by it. */
    uint64_t kill_after_ns;

    /* The absolute path of the program curfew-child, which starts programs and the processes of
     * plugins. NULL: it is looked for beside the program that runs, in ../libexec/curfew from it
     * and from libcurfew.so, then in libexec/curfew of /usr/local and of /usr. */
    const char *CURFEW_NULLABLE helper;

    /* Whether plugins have to be signed; 0: CURFEW_TRUST_OFF. A plugin is signed by the file
     * manifest.json.minisig beside its manifest, which minisign makes; a pin that matches counts as
     * much. A plugin with a valid signature is loaded although `pins` does not name it, unless this
     * is CURFEW_TRUST_OFF; one whose pin does not match is always refused. Needs libcrypto.so.3
     * (Debian: libssl3). */
    curfew_trust trust;
    uint32_t key_directory_count; /* at most 64 */

    /* The directories of the public keys that may sign, NAME.pub, of which only root and the host's
     * user may be able to change anything. They are read each time a plugin is loaded. NULL:
     * /etc/curfew/trusted.d and curfew/trusted.d below XDG_CONFIG_HOME, by default ~/.config. A
     * count of 0 trusts no key. */
    const char *CURFEW_NULLABLE const *CURFEW_NULLABLE key_directories;

    /* Confines every plugin: its code and programs run in processes that can use what the `needs` of
     * its manifest name, and a plugin without `needs` nothing but what every process can. In place
     * of a thread it gets a process. A plugin that `isolations` gives a thread, or that this machine
     * cannot confine, is refused with CURFEW_REFUSED before any of its code runs. */
    bool confine;
    uint8_t reserved3[7]; /* 0 */

    /* The most that each process of a plugin and each program of a manifest may have, whatever the
     * manifest needs; the log warns of one that needs more. A plugin's process has as much where its
     * manifest says nothing. 0: what the manifest says; by default a plugin's process has 1 GiB of
     * private memory, files of 1 GiB, 256 descriptors and 64 processes and threads besides
     * Curfew's own. */
    uint64_t process_memory_bytes; /* 0 or 64,000,000…1,000,000,000,000 */
    uint64_t process_file_bytes;   /* of a file that it writes: 0 or 1…1,000,000,000,000 */
    uint32_t process_descriptors;  /* 0 or 32…1,048,576 */
    /* 0 or 1…32,768, besides Curfew's own threads, of which a process has one for each task that
     * its handlers may run at a time, and 8. It holds where the process has a user namespace and the
     * user is not root, or where the host has a control group to divide; a program needs the
     * group. Otherwise the log says that it is not in force. */
    uint32_t process_count;

    /* The process of a plugin that has had nothing to do for so long is ended, and its next task starts
     * another one; what the plugin keeps in memory ends with it. A process with subs, or whose code waits
     * for an event or a time, goes on, and so does the one that isolation `fresh` keeps ready. 0: all go on. */
    uint64_t process_idle_ns;

    /* Executes curfew-child anew for the process of each plugin, in place of a fork of one that waits: its
     * addresses then differ from those of other plugins' processes, so that what one plugin learns of its
     * own says nothing of another's. A start takes some milliseconds more, and a process about a
     * mebibyte; each is a child of this process. */
    bool execute_processes;
    uint8_t reserved4[7]; /* 0 */
} curfew_host_config;

/* The limits of a shutdown, in real time. 0 means the default. */
typedef struct curfew_shutdown_options {
    uint32_t struct_size;
    uint32_t reserved;  /* 0 */
    uint64_t drain_ns;  /* lets running tasks go on and queued ones start; default: none */
    uint64_t expire_ns; /* then waits for the answers of tasks told to stop; default: the longest
                           grace of a handler or a running task, and 1 s */
    uint64_t leave_ns;  /* then waits for functions to return; as long again, but at least 100 ms,
                           for an event's receiver, the log function and destructors of thread-local
                           data; and as long for the retire function of each plugin; default: 1 s.
                           The event thread delivers what is queued, for 10 s at most, while
                           receivers return. */
} curfew_shutdown_options;

CURFEW_END_DECLS

#endif /* CURFEW_CONFIG_H */
