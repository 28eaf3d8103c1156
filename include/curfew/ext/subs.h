/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/ext/subs.h: extension "curfew.subs/1": Wait For, Sleep and CallSubDelayed as in B4X, for
 * libraries with handlers of form `subs`. None of them holds a thread: what follows a Wait For or a
 * Sleep is a continuation.
 *
 * The library's subs that receive events, and its continuations, run one at a time and in order, on
 * workers, as tasks of a queue of their own, `<plugin id>/subs`, with a budget of 30 s. While one
 * runs no other does; do-subs, controllers and expired subs are not among them. Events and times
 * come through the host's event loop. A shutdown lets the queue run until the last task has had its
 * grace to answer; after that none of them is called. Inside curfew_plugin_entry the extension is
 * missing.
 *
 *     static void done(void *continuation_data, const curfew_host_api *api, curfew_status status,
 *                      const curfew_value *values, uint32_t count) {
 *         api->complete(api, *(curfew_task *)continuation_data, …);
 *     }
 *
 *     void tidy_controller(curfew_task task, const curfew_host_api *api) {
 *         const curfew_subs *subs = api->extension(api, CURFEW_EXT_SUBS);
 *         subs->wait_for(api, "tidy_done", 0, 0, done, remember(task));   // first, then begin
 *         subs->sleep(api, 10000000, first_step, remember(task));
 *     }
 */
#ifndef CURFEW_EXT_SUBS_H
#define CURFEW_EXT_SUBS_H

#include "../plugin.h"

#define CURFEW_EXT_SUBS "curfew.subs/1"

CURFEW_BEGIN_DECLS

/*
 * Continues after a wait or a sleep. Called once for each, unless the host shuts down or the plugin
 * is retired.
 *
 * continuation_data: as passed to the wait or the sleep; the plugin's.
 * status:            CURFEW_OK: the event came, or the time of the sleep is over.
 *                    CURFEW_TIMED_OUT: the event did not come in time. CURFEW_REPLACED: a newer wait
 *                    for the same event and sender replaced this one.
 * values:            the event's parameters, valid during the call; NULL when count is 0.
 */
typedef void (*curfew_subs_continuation)(void *CURFEW_NULLABLE continuation_data,
                                         const curfew_host_api *api, curfew_status status,
                                         const curfew_value *CURFEW_NULLABLE values,
                                         uint32_t count)
    CURFEW_TAG(worker, any);

/* The functions of the extension. They take no curfew_error, as those of the host's table. */
typedef struct curfew_subs {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /*
     * CallSubDelayed: queues a call of a sub of this library, behind the code that runs now. A wait
     * for an event of that name and number of parameters takes it first; else the exported function
     * of that name is called with exactly these parameters, which cannot be checked; else nothing
     * happens. The name is lower-cased. Returns CURFEW_OK, CURFEW_INVALID (an impossible name or
     * parameters, or an event of the plugin with parameters of other types), CURFEW_BUSY (16,384
     * calls or 16 MiB are queued), CURFEW_QUARANTINED (a sub has not returned) or CURFEW_CLOSING.
     */
    curfew_status (*call_delayed)(const curfew_host_api *api, const char *sub,
                                  const curfew_value *CURFEW_NULLABLE values, uint32_t count)
        CURFEW_TAG(any, any);

    /*
     * Wait For: passes the next event with this selector, `tidy_done` or `tidy_done::`, to the
     * continuation and not to the sub. Events are the host's about this plugin's handlers, those
     * that its tasks raise, and those of call_delayed. A newer wait for the same event and sender
     * replaces the older one.
     *
     * sender:     only events about this task, which come first; 0: about any or none.
     * timeout_ns: on the host's clock; 0: none.
     *
     * Returns CURFEW_OK, after which the continuation is called; or CURFEW_INVALID,
     * CURFEW_EXHAUSTED (65,536 waits, or 131,072 continuations that are not called yet) or
     * CURFEW_CLOSING.
     */
    curfew_status (*wait_for)(const curfew_host_api *api, const char *selector, curfew_task sender,
                              uint64_t timeout_ns, curfew_subs_continuation continuation,
                              void *CURFEW_NULLABLE continuation_data) CURFEW_TAG(any, any);

    /* Sleep: calls the continuation after `duration_ns` of the host's clock, never early; 0: as
     * soon as it is next. Other subs run meanwhile. Returns CURFEW_OK, CURFEW_INVALID,
     * CURFEW_EXHAUSTED (as wait_for) or CURFEW_CLOSING. */
    curfew_status (*sleep)(const curfew_host_api *api, uint64_t duration_ns,
                           curfew_subs_continuation continuation,
                           void *CURFEW_NULLABLE continuation_data) CURFEW_TAG(any, any);
} curfew_subs;

CURFEW_END_DECLS

#endif /* CURFEW_EXT_SUBS_H */
