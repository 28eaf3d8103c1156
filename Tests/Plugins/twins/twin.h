/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin without a fault. A twin includes this file last, and puts its one fault into it by
 * macros that it defines before:
 *
 *     TWIN_IN_CONSTRUCTOR, TWIN_IN_DESTRUCTOR  statements; without them there is no such function
 *     TWIN_IN_ENTRY                            statements before the handler is registered
 *     TWIN_REGISTERED                          statements after it; `answer` is what the host said
 *     TWIN_ASKED                               statements of the run before `answer` is looked at
 *     TWIN_IN_RUN                              statements of the run after `info` was filled
 *     TWIN_IF_PLAIN, TWIN_IF_FAILING,
 *     TWIN_IF_SLOW                             statements of the run for one kind of payload
 *     TWIN_IN_EXPIRED, TWIN_IN_RETIRE          statements; without them there is no such function
 *     TWIN_ID                                  the plugin id that the entry tells
 *     TWIN_NO_NOTE, TWIN_NO_ENTRY              leave that out
 *
 * Its first comment has a line `wrong: …`, then `status: …` where its case does not come out as fail
 * (crash, timeout, leak, warn), and `also: CASE warn` for each other case that has to warn.
 *
 * build.sh defines _GNU_SOURCE, so that a twin can include what it needs in any order.
 */
#ifndef TWIN_H
#define TWIN_H

#include <curfew/plugin.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef TWIN_IN_ENTRY
#define TWIN_IN_ENTRY
#endif
#ifndef TWIN_REGISTERED
#define TWIN_REGISTERED
#endif
#ifndef TWIN_ASKED
#define TWIN_ASKED
#endif
#ifndef TWIN_IN_RUN
#define TWIN_IN_RUN
#endif
#ifndef TWIN_IF_PLAIN
#define TWIN_IF_PLAIN
#endif
#ifndef TWIN_IF_FAILING
#define TWIN_IF_FAILING
#endif
#ifndef TWIN_IF_SLOW
#define TWIN_IF_SLOW
#endif
#ifndef TWIN_ID
#define TWIN_ID "org.example.twin-plugin"
#endif

#ifndef TWIN_NO_NOTE
CURFEW_PLUGIN_NOTE();
#endif

/* True the first time in the life of the process: for faults that would cost the cases that run
 * many tasks their time. */
static atomic_bool twin_was_there __attribute__((unused));
#define TWIN_ONCE (!atomic_exchange(&twin_was_there, true))

/* For twins that crash. Volatile, so that no compiler sees what comes. */
static char *volatile twin_nowhere __attribute__((unused));
#define TWIN_CRASH (*twin_nowhere = 1)

/* Writes the text of a failure. */
static inline curfew_status twin_no(curfew_error *host_error, curfew_status status,
                                    const char *text) {
    snprintf(host_error->message, sizeof host_error->message, "%s", text);
    return status;
}

static inline void twin_nap(int milliseconds) {
    const struct timespec nap = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&nap, NULL);
}

static inline bool twin_is(const curfew_task_info *info, const char *payload) {
    return info->payload_bytes == strlen(payload) &&
           memcmp(info->payload, payload, strlen(payload)) == 0;
}

/* Returns once the task is told to stop, and after 20 s in any case. */
static inline void twin_wait(const curfew_host_api *api, curfew_task task) {
    for (int passed = 0; passed < 20000 && !api->is_expired(api, task); passed++) twin_nap(1);
}

/* Why the task was told to stop. */
static inline curfew_reason twin_reason(const curfew_host_api *api, curfew_task task) {
    curfew_task_info info = {.struct_size = sizeof info};
    return api->task_info(api, task, &info) == CURFEW_OK ? info.reason : CURFEW_REASON_NONE;
}

__attribute__((unused)) static curfew_status twin_run(void *handler_data,
                                                      const curfew_host_api *api,
                                                      curfew_task task,
                                                      curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    const curfew_status answer = api->task_info(api, task, &info);
    TWIN_ASKED
    if (answer != CURFEW_OK) return twin_no(host_error, answer, "the host does not know the task");
    TWIN_IN_RUN
    if (twin_is(&info, "slow")) {
        TWIN_IF_SLOW
        twin_wait(api, task);
        return twin_no(host_error, CURFEW_FAILED, "stopped");
    }
    if (twin_is(&info, "fail")) {
        TWIN_IF_FAILING
        return twin_no(host_error, CURFEW_FAILED, "the payload says so");
    }
    TWIN_IF_PLAIN
    return CURFEW_OK;
}

#ifdef TWIN_IN_EXPIRED
static void twin_expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_reason reason) {
    (void)handler_data, (void)api, (void)task, (void)reason;
    TWIN_IN_EXPIRED
}
#endif

#ifdef TWIN_IN_RETIRE
static void twin_retire(void *plugin_data) {
    (void)plugin_data;
    TWIN_IN_RETIRE
}
#endif

#ifdef TWIN_IN_CONSTRUCTOR
__attribute__((constructor)) static void twin_constructor(void) { TWIN_IN_CONSTRUCTOR }
#endif

#ifdef TWIN_IN_DESTRUCTOR
__attribute__((destructor)) static void twin_destructor(void) { TWIN_IN_DESTRUCTOR }
#endif

#ifndef TWIN_NO_ENTRY
CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->id = TWIN_ID;
    host_info->version = "1.0.0";
#ifdef TWIN_IN_RETIRE
    host_info->retire = twin_retire;
#endif
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.twin",
#ifdef TWIN_IN_EXPIRED
                                    .expired = twin_expired,
#endif
                                    .run = twin_run};
    TWIN_IN_ENTRY
    curfew_status answer = api->register_handler(api, &handler, host_error);
    TWIN_REGISTERED
    if (answer == CURFEW_OK) return CURFEW_OK;
    return twin_no(host_error, answer, "the host does not take the handler");
}
#endif

#endif /* TWIN_H */
