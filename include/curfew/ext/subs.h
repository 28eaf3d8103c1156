/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/ext/subs.h: extension "curfew.subs/1", for libraries with handlers of form `subs`. Waiting
 * and sleeping without holding a thread, in the manner of B4X: what comes after a Wait For or a Sleep
 * is a continuation.
 *
 * The library's subs that receive events, and continuations, run one at a time and in order, on
 * workers, as tasks of a queue of their own, `<plugin id>/subs`, with a budget of 30 s. While one
 * runs no other does; do-subs, controllers and expired subs are not among them. Events and times
 * come through the host's event loop. A shutdown lets the queue go on until the last task has had its
 * chance to answer; then none of them is called any more. Inside curfew_plugin_entry there is no
 * such extension yet.
 *
 *     static void done(void *data, const curfew_host_api *api, curfew_status status,
 *                      const curfew_value *values, uint32_t count) {
 *         api->complete(api, *(curfew_task *)data, is_expired ? CURFEW_FAILED : CURFEW_OK, …);
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
 * What comes after a wait or a sleep. Called once for each that was begun, unless the host shuts
 * down or the plugin is retired.
 *
 * continuation_data: what it was begun with; the plugin's.
 * status:            CURFEW_OK: the event has come, or the time of the sleep is over.
 *                    CURFEW_TIMED_OUT: the event did not come in time. CURFEW_REPLACED: a newer wait
 *                    for the same event and sender took this one's place.
 * values:            the event's parameters, valid during the call; NULL when count is 0.
 */
typedef void (*curfew_subs_continuation)(void *CURFEW_NULLABLE continuation_data,
                                         const curfew_host_api *api, curfew_status status,
                                         const curfew_value *CURFEW_NULLABLE values,
                                         uint32_t count)
    CURFEW_TAG(worker, any);

typedef struct curfew_subs {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /*
     * CallSubDelayed: calls a sub of this library in its turn, after the code that runs now. A wait
     * for an event of that name and number of parameters takes it first; else the library's
     * exported function is called, with exactly these parameters: that it has them nobody can check.
     * Without either, nothing happens. The name is taken in small letters. Returns CURFEW_OK,
     * CURFEW_INVALID (a name or parameters that cannot be, or an event of the plugin with parameters
     * of other types), CURFEW_BUSY (16,384 or 16 MiB wait), CURFEW_QUARANTINED (a sub has not come
     * back) or CURFEW_CLOSING.
     */
    curfew_status (*call_delayed)(const curfew_host_api *api, const char *sub,
                                  const curfew_value *CURFEW_NULLABLE values, uint32_t count)
        CURFEW_TAG(any, any);

    /*
     * Wait For: the next event with this selector, `tidy_done` or `tidy_done::`, is for
     * `continuation` and not for the sub. Events are the host's about this plugin's handlers, those
     * its tasks raise, and what call_delayed brings. A newer wait for the same event and sender
     * replaces the older.
     *
     * sender:     only events about this task, which are looked at first; 0: about any or none.
     * timeout_ns: time on the host's clock; 0: without limit.
     *
     * Returns CURFEW_OK; then the continuation is called. Else it is not: CURFEW_INVALID,
     * CURFEW_EXHAUSTED (65,536 wait, or 131,072 of what ended are not called yet) or
     * CURFEW_CLOSING.
     */
    curfew_status (*wait_for)(const curfew_host_api *api, const char *selector, curfew_task sender,
                              uint64_t timeout_ns, curfew_subs_continuation continuation,
                              void *CURFEW_NULLABLE plugin_data) CURFEW_TAG(any, any);

    /* Sleep: calls `continuation` after `duration_ns` on the host's clock, never early; 0: in its
     * turn. Other subs run meanwhile. Returns CURFEW_OK, CURFEW_INVALID, CURFEW_EXHAUSTED (as for
     * wait_for) or CURFEW_CLOSING. */
    curfew_status (*sleep)(const curfew_host_api *api, uint64_t duration_ns,
                           curfew_subs_continuation continuation, void *CURFEW_NULLABLE plugin_data)
        CURFEW_TAG(any, any);
} curfew_subs;

CURFEW_END_DECLS

#endif /* CURFEW_EXT_SUBS_H */
