/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmicrohttp.h: libmicrohttpd without variadic functions, opened when it is first needed, so that
 * programs that serve nothing do not load it.
 *
 * All functions of a server are called on one thread, which its calls come back on.
 */
#ifndef CMICROHTTP_H
#define CMICROHTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MHD_Daemon chttp_server;
typedef struct MHD_Connection chttp_connection;

/* The functions that a server calls. `connection_context` and `request` are the owner's pointers. */
typedef struct chttp_calls {
    void *data;
    /* A request line was read. Returns `request`; the text is valid during the call. */
    void *(*begin)(void *connection_context, chttp_connection *connection, const char *target);
    /* Called once when the head was read, then for each part of the body, then with `count` 0 at the
     * end of the request, and again after it was resumed. Until the end no answer may be given but to
     * the head. Returns false to close the connection. */
    bool (*step)(void *request, chttp_connection *connection, const char *method, const char *version,
                 const uint8_t *bytes, size_t count);
    /* The request is over, answered or not. */
    void (*end)(void *request);
    /* Returns `connection_context`. */
    void *(*connected)(void *data, chttp_connection *connection, int32_t socket);
    void (*disconnected)(void *connection_context);
} chttp_calls;

/* Opens the library. Returns NULL, or why that failed; the text is valid until the next call. */
const char *chttp_open(void);

/* Makes a server without a listening socket. `calls` has to outlive it. NULL: out of memory. */
chttp_server *chttp_start(const chttp_calls *calls, uint32_t connections, size_t head_bytes);
/* No connection may be suspended. */
void chttp_stop(chttp_server *server);
/* The descriptor that is readable when there is work. */
int32_t chttp_descriptor(chttp_server *server);
/* Whether there is work though the descriptor is not readable. */
bool chttp_has_work(chttp_server *server);
void chttp_run(chttp_server *server);
/* Takes the socket over, and closes it also on failure. */
bool chttp_add(chttp_server *server, int32_t socket);

/* Calls `each` with every header line, in order. Names and values are valid during the call. */
void chttp_headers(chttp_connection *connection, void *data,
                   void (*each)(void *data, const char *name, size_t name_bytes, const char *value,
                                size_t value_bytes));
/* Answers with a copy of `body`. `headers` has names and values in turn, and ends with NULL. */
bool chttp_answer(chttp_connection *connection, uint32_t status, const uint8_t *body, size_t count,
                  const char *const *headers);
/* Answers with what `read` gives, until it returns a negative number. It fills at most `room` bytes and returns how
 * many; if there are none now, it suspends the connection and returns 0. `request` is handed to it. */
bool chttp_stream(chttp_connection *connection, uint32_t status, const char *const *headers, void *request,
                  ptrdiff_t (*read)(void *request, uint64_t position, char *bytes, size_t room));
/* Inside `step`, or of a stream inside `read`: reads and writes nothing until it is resumed. */
void chttp_suspend(chttp_connection *connection);
void chttp_resume(chttp_connection *connection);

#endif /* CMICROHTTP_H */
