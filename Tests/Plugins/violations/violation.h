/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins of this directory have in common: an entry, and a line to the harness that runs
 * them, whose address they find in the environment. */
#ifndef MISDEED_H
#define MISDEED_H

#define _GNU_SOURCE
#include <curfew/plugin.h>

#include <stdlib.h>
#include <string.h>

/* Tests/ViolationHarness/Line.swift has the other end. */
typedef struct violation_line {
    /* Takes down what the plugin did or heard, at once and for good. */
    void (*note)(const char *what, int64_t value);
    /* Returns once the harness has opened the gate of that name. */
    void (*wait)(const char *gate);
    /* The embedder's own table of the host under test. */
    const curfew_host_api *table;
} violation_line;

static inline const violation_line *line(void) {
    const char *address = getenv("CURFEW_MISDEED_LINE");
    if (address == NULL) abort();
    return (const violation_line *)(uintptr_t)strtoull(address, NULL, 10);
}

static inline void note(const char *what, int64_t value) { line()->note(what, value); }
static inline void wait_for(const char *gate) { line()->wait(gate); }

/* Which of several forms of the violation is wanted. */
static inline bool form_is(const char *name) {
    const char *form = getenv("CURFEW_MISDEED_FORM");
    return form != NULL && strcmp(form, name) == 0;
}

static inline curfew_status register_as(const curfew_host_api *api, const char *identifier,
                                        curfew_run_function run, curfew_expired_function expired,
                                        curfew_error *host_error) {
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = identifier,
                                    .run = run,
                                    .expired = expired};
    return api->register_handler(api, &handler, host_error);
}

/* The note, and an entry that begins with what `...` says. */
#define MISDEED_ENTRY(...)                                                                  \
    CURFEW_PLUGIN_NOTE();                                                                   \
    CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(                                 \
        const curfew_host_api *api, curfew_plugin_info *host_info,                          \
        curfew_error *host_error) {                                                         \
        (void)api, (void)host_info, (void)host_error;                                       \
        __VA_ARGS__                                                                         \
    }

/* The same for a plugin with one handler and nothing else to say. */
#define MISDEED(identifier, run, expired) \
    MISDEED_ENTRY(return register_as(api, identifier, run, expired, host_error);)

/* A plugin whose one handler is well-behaved, and that does something else when it is loaded: in its
 * constructor or in its entry, as the form says. */
#define MISDEED_AT_LOAD(identifier, act)                                                    \
    RUN(at_load_run) {                                                                      \
        UNUSED, (void)host_error;                                                           \
        note("begun", 0);                                                                   \
        wait_for("go");                                                                     \
        return CURFEW_OK;                                                                   \
    }                                                                                       \
    __attribute__((constructor)) static void at_load(void) {                                \
        if (form_is("constructor")) act();                                                  \
    }                                                                                       \
    MISDEED_ENTRY(if (form_is("entry")) act();                                              \
                  return register_as(api, identifier, at_load_run, NULL, host_error);)

#define RUN(name)                                                                        \
    static curfew_status name(void *handler_data, const curfew_host_api *api, curfew_task task, \
                              curfew_error *host_error)
#define EXPIRED(name)                                                                 \
    static void name(void *handler_data, const curfew_host_api *api, curfew_task task, \
                     curfew_reason reason)
#define UNUSED (void)handler_data, (void)api, (void)task

#endif /* MISDEED_H */
