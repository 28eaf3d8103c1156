/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins of this directory have in common: an entry, and a line to the harness that runs
 * them. In a thread of the harness it is a structure, whose address is in the environment; in a process
 * of the plugin's it is a socket, or a port if its manifest names the variable. */
#ifndef MISDEED_H
#define MISDEED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <curfew/plugin.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Tests/ViolationHarness/Line.swift has the other end. */
typedef struct violation_line {
    /* Takes down what the plugin did or heard, at once and for good. */
    void (*note)(const char *what, int64_t value);
    /* Returns once the harness has opened the gate of that name. */
    void (*wait)(const char *gate);
    /* The embedder's own table of the host under test. */
    const curfew_host_api *table;
} violation_line;

/* NULL in a process of the plugin's, which does not inherit the variable. */
static inline const violation_line *line(void) {
    const char *address = getenv("CURFEW_MISDEED_LINE");
    if (address == NULL) return NULL;
    return (const violation_line *)(uintptr_t)strtoull(address, NULL, 10);
}

/* The connection that hold_line has made, in the process that has made it. */
static int held_line = -1;
static pid_t held_line_process;

static inline int connect_port(const char *port) {
    struct sockaddr_in name;
    memset(&name, 0, sizeof name);
    name.sin_family = AF_INET;
    name.sin_port = htons((uint16_t)atoi(port));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return -1;
    if (connect(file, (const struct sockaddr *)&name, sizeof name) == 0) return file;
    close(file);
    return -1;
}

static inline int connect_line(void) {
    const char *port = getenv("CURFEW_MISDEED_PORT");
    if (port != NULL) return connect_port(port);
    const char *directory = getenv("TMPDIR");
    struct sockaddr_un name;
    memset(&name, 0, sizeof name);
    name.sun_family = AF_UNIX;
    const int length = snprintf(name.sun_path, sizeof name.sun_path, "%s/line",
                                directory == NULL ? "/tmp" : directory);
    if (length < 0 || (size_t)length >= sizeof name.sun_path) return -1;
    const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (file < 0) return -1;
    if (connect(file, (const struct sockaddr *)&name, sizeof name) == 0) return file;
    close(file);
    return -1;
}

/* Keeps a connection, for a plugin that goes on to use up its descriptors. One thread may talk then. */
static inline void hold_line(void) {
    if (line() != NULL) return;
    held_line = connect_line();
    held_line_process = getpid();
}

/* Sends a message of SocketLine.swift and waits for its answer. Returns false without a line. */
static inline bool try_ask(char kind, const char *text, int64_t value, char *answer, size_t size) {
    char message[600];
    size_t length = strlen(text);
    if (length > sizeof message - 9) length = sizeof message - 9;
    message[0] = kind;
    memcpy(message + 1, &value, sizeof value);
    memcpy(message + 9, text, length);
    const bool is_held = held_line >= 0 && held_line_process == getpid();
    const int file = is_held ? held_line : connect_line();
    if (file < 0) return false;
    if (send(file, message, 9 + length, MSG_NOSIGNAL) != (ssize_t)(9 + length)) abort();
    ssize_t count;
    do count = recv(file, answer, size - 1, 0);
    while (count < 0 && errno == EINTR);
    if (count <= 0) abort();
    answer[count] = 0;
    if (!is_held) close(file);
    return true;
}

static inline void ask(char kind, const char *text, int64_t value, char *answer, size_t size) {
    if (!try_ask(kind, text, value, answer, size)) abort();
}

static inline void note(const char *what, int64_t value) {
    char answer[64];
    if (line() != NULL) line()->note(what, value);
    else ask('n', what, value, answer, sizeof answer);
}

static inline void wait_for(const char *gate) {
    char answer[64];
    if (line() != NULL) line()->wait(gate);
    else ask('w', gate, 0, answer, sizeof answer);
}

/* The process id of the harness. */
static inline pid_t harness_process(void) {
    char answer[64];
    if (line() != NULL) return getpid();
    ask('p', "", 0, answer, sizeof answer);
    return (pid_t)strtol(answer, NULL, 10);
}

/* Which of several forms of the violation is wanted. */
static inline bool form_is(const char *name) {
    const char *form = getenv("CURFEW_MISDEED_FORM");
    if (form != NULL || line() != NULL) return form != NULL && strcmp(form, name) == 0;
    /* Whoever runs the plugin without a harness wants its only form. */
    char answer[64];
    return try_ask('f', name, 0, answer, sizeof answer) && strcmp(answer, "yes") == 0;
}

static inline curfew_status register_as(const curfew_host_api *api, const char *identifier,
                                        curfew_run_function run, curfew_expired_function expired,
                                        curfew_error *host_error) {
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = identifier;
    handler.run = run;
    handler.expired = expired;
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
