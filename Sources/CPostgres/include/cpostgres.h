/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpostgres.h: the functions of libpq that Curfew uses, opened when they are first needed, so that programs
 * without a URL do not load it.
 *
 * A connection is used by one thread at a time. Nothing here waits, except for the name of a server.
 */
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pg_conn cpg_connection;
typedef struct pg_result cpg_result;

/* Opens the library. Returns NULL, or why that failed; the text is valid until the next call. */
const char *cpg_open(void);

/* Calls `each` with every parameter that a URL sets. Returns false where it is malformed, with the reason in
 * `fault`, which is to be freed by `cpg_free`; that may be NULL. */
bool cpg_parse(const char *url, void *data,
               void (*each)(void *data, const char *keyword, const char *value), char **fault);
void cpg_free(void *memory);

/* What to wait for before the next call of `cpg_connect_step`. */
typedef enum cpg_step { cpg_step_failed, cpg_step_read, cpg_step_write, cpg_step_done } cpg_step;

/* Begins to connect. Both lists end with NULL. NULL: out of memory. */
cpg_connection *cpg_connect(const char *const *keywords, const char *const *values);
cpg_step cpg_connect_step(cpg_connection *connection);
/* In pipeline mode, without blocking; false where the server or libpq cannot. */
bool cpg_begin_pipeline(cpg_connection *connection);
void cpg_close(cpg_connection *connection);

int32_t cpg_socket(cpg_connection *connection);
/* False once the connection has been lost. */
bool cpg_is_open(cpg_connection *connection);
/* The last fault; valid until the next call. */
const char *cpg_message(cpg_connection *connection);
/* For example 150018. */
int32_t cpg_server_version(cpg_connection *connection);
/* The process of the server that the other side named; 0 if it named none. */
int32_t cpg_process(cpg_connection *connection);
/* A parameter that the server reports; NULL if it does not. */
const char *cpg_parameter(cpg_connection *connection, const char *name);
const char *cpg_host(cpg_connection *connection);
const char *cpg_port(cpg_connection *connection);
const char *cpg_user(cpg_connection *connection);
const char *cpg_database(cpg_connection *connection);
/* A password was asked for, and there was none. */
bool cpg_needs_password(cpg_connection *connection);
bool cpg_used_password(cpg_connection *connection);

/* Each of the next four adds to what is to be sent, and returns false where that is not possible. The format of a
 * value is 0 for a text with a NUL after it, and 1 for the binary form of its type, with its length; NULL is a null.
 * The server infers the types. */
bool cpg_prepare(cpg_connection *connection, const char *name, const char *text);
bool cpg_run_prepared(cpg_connection *connection, const char *name, int32_t count, const char *const *values,
                      const int32_t *lengths, const int32_t *formats);
bool cpg_run(cpg_connection *connection, const char *text, int32_t count, const char *const *values,
             const int32_t *lengths, const int32_t *formats);
bool cpg_sync(cpg_connection *connection);
/* 0: all was sent; 1: the socket has to take more; -1: failed. */
int32_t cpg_flush(cpg_connection *connection);
/* Takes in what has come. */
bool cpg_receive(cpg_connection *connection);
/* Whether the next result has not come yet. */
bool cpg_is_waiting(cpg_connection *connection);
/* The next result of the current statement; NULL at its end. */
cpg_result *cpg_next(cpg_connection *connection);

typedef enum cpg_outcome {
    cpg_outcome_done,    /* without rows */
    cpg_outcome_rows,
    cpg_outcome_sync,    /* of `cpg_sync` */
    cpg_outcome_skipped, /* an earlier statement has failed */
    cpg_outcome_failed,
} cpg_outcome;

cpg_outcome cpg_result_outcome(const cpg_result *result);
/* The five letters of a fault, and its texts; NULL where there are none. */
const char *cpg_result_state(const cpg_result *result);
const char *cpg_result_message(const cpg_result *result);
const char *cpg_result_detail(const cpg_result *result);
int32_t cpg_result_rows(const cpg_result *result);
/* A value, which ends with a NUL; a null is empty. */
const char *cpg_result_value(const cpg_result *result, int32_t row, int32_t column);
int32_t cpg_result_bytes(const cpg_result *result, int32_t row, int32_t column);
bool cpg_result_is_null(const cpg_result *result, int32_t row, int32_t column);
/* The number of rows that a statement has changed. */
int64_t cpg_result_changed(cpg_result *result);
void cpg_result_free(cpg_result *result);

/* Calls `each` with every notice of other clients that has come; its text is valid during the call. */
void cpg_notices(cpg_connection *connection, void *data, void (*each)(void *data, const char *text));

#endif
