/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/host.h: create, shut down and destroy a host. In short:
 *
 *     curfew_host *host;
 *     curfew_error error = {.struct_size = sizeof error};
 *     curfew_task task;
 *     curfew_task_state state = {.struct_size = sizeof state};
 *     const curfew_launch_options options = {.struct_size = sizeof options, .keep = true};
 *
 *     if (curfew_host_create(NULL, &host, &error) != CURFEW_OK) …
 *     curfew_host_load_plugin(host, "/usr/lib/curfew/plugins/mirror", &error);
 *     curfew_host_launch(host, "org.example.mirror", &options, &task, &error);
 *     curfew_host_wait_task(host, task, 60000000000, &state, &error);
 *     curfew_host_release_task(host, task, &error);
 *     curfew_host_destroy(host, NULL, &error);
 *
 * Hosts in one process are independent. No function of Curfew changes a signal handler, a signal
 * mask of the caller's threads, the working directory, or the environment. A forked child has none
 * of a host's threads: it must not call Curfew, and only exec. A signal handler may call
 * curfew_host_wake and nothing else: every other function may take a lock that the interrupted
 * thread holds.
 */
#ifndef CURFEW_HOST_H
#define CURFEW_HOST_H

#include "config.h"
#include "plugin.h"
#include "types.h"

CURFEW_BEGIN_DECLS

/*
 * Creates a host. The configuration is copied. *out_host is the caller's, until
 * curfew_host_destroy. Returns CURFEW_OK, CURFEW_INVALID (out_host is NULL, a value of the
 * configuration is out of range, or the list of permitted handlers cannot be used), CURFEW_SYSTEM,
 * or, about the store, CURFEW_NOT_FOUND (the directory above it), CURFEW_DENIED or one of the
 * CURFEW_STORE_… statuses.
 */
curfew_status curfew_host_create(const curfew_host_config *CURFEW_NULLABLE config,
                                 curfew_host *CURFEW_NULLABLE *CURFEW_NULLABLE out_host,
                                 curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/*
 * Ends a host's work in four bounded phases. First the host takes nothing new in (CURFEW_CLOSING),
 * and waits return CURFEW_CLOSING; then tasks may finish; then the remaining ones are told to stop
 * with CURFEW_REASON_SHUTDOWN; last, those that have not answered are interrupted, and so are
 * queued tasks. Done events that are still queued can be dispatched afterwards with
 * curfew_host_dispatch; an event thread has delivered them. A second call does nothing.
 *
 * Returns CURFEW_OK; CURFEW_WRONG_THREAD inside the host's own callbacks, events or plugin code; or
 * CURFEW_TIMED_OUT where foreign code has not returned within the limits of `options`: a function
 * or an expiration callback of a handler, the entry of a plugin that another thread is loading, an
 * event's receiver, the log function, or a destructor of thread-local data. The message names it,
 * and the host is shut down all the same.
 */
curfew_status curfew_host_shutdown(curfew_host *host,
                                   const curfew_shutdown_options *CURFEW_NULLABLE options,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

/*
 * Shuts the host down unless that is done, retires its plugins and frees it. NULL is a no-op. Waits
 * for a shutdown that another thread carries out.
 *
 * Returns CURFEW_OK: the host is freed, and all its threads have ended, their destructors included.
 * Returns CURFEW_TIMED_OUT: the handle is freed as well, but foreign code has not returned,
 * as in curfew_host_shutdown, or a retire function has not, and the memory that it may touch is kept
 * for the life of the process (see curfew_get_leaked_host_count). Returns CURFEW_WRONG_THREAD:
 * nothing happened.
 */
curfew_status curfew_host_destroy(curfew_host *CURFEW_NULLABLE host,
                                  const curfew_shutdown_options *CURFEW_NULLABLE options,
                                  curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, any);

/* Returns the number of destroyed hosts whose memory was kept for a thread that never returned. */
uint32_t curfew_get_leaked_host_count(void) CURFEW_TAG(any, any);

/* Returns the table for the embedder's own handlers and threads; the host's, valid until it is
 * destroyed. */
const curfew_host_api *curfew_host_get_api(curfew_host *host) CURFEW_TAG(any, any);

/* Returns the date of the host's clock. */
int64_t curfew_host_get_wall_ns(curfew_host *host) CURFEW_TAG(any, any);

/* The counters of a host, since it was created. */
typedef struct curfew_counts {
    uint32_t struct_size; /* set by the caller */
    uint32_t workers;     /* threads running now */
    uint32_t deadline_threads;   /* threads running now */
    uint32_t lost_workers;       /* threads whose function has not returned */
    uint64_t launched;
    uint64_t ended[8];           /* by CURFEW_OUTCOME_ constant */
    uint64_t events_delivered;   /* taken by a wait or at least one subscriber */
    uint64_t events_unhandled;   /* without any */
    uint64_t events_lost;        /* dropped because the queue was full */
    uint64_t contract_violations; /* by plugins; see the log */
    uint64_t wakeups;            /* of sleeping workers, deadline threads and the event thread */
    uint64_t processes_started;  /* of plugins */
    uint64_t processes_crashed;  /* of those that ended by themselves, by a signal or an exit */
    uint64_t processes_killed;   /* of those that did not return from a function, or for a quarantine */
    uint64_t processes_faulty;   /* of those that were killed since they broke their channel's rules */
    uint64_t process_records;    /* read from them: answers, events, log lines, calls */
} curfew_counts;

/* Fills *out_counts. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_get_counts(curfew_host *host, curfew_counts *out_counts,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_HOST_H */
