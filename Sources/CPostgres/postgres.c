/* SPDX-License-Identifier: Apache-2.0 */
#include "cpostgres.h"

#include <dlfcn.h>
#include <postgresql/libpq-fe.h>
#include <stdlib.h>

/* The functions that are used, with the types that the header declares. */
#define FUNCTIONS(use)                                                                                   \
    use(PQconninfoParse) use(PQconninfoFree) use(PQfreemem) use(PQconnectStartParams)                    \
    use(PQconnectPoll) use(PQfinish) use(PQsocket) use(PQstatus) use(PQerrorMessage)                     \
    use(PQserverVersion) use(PQbackendPID) use(PQparameterStatus) use(PQhost) use(PQport) use(PQuser)    \
    use(PQdb)                                                                                            \
    use(PQconnectionNeedsPassword) use(PQconnectionUsedPassword) use(PQsetNoticeProcessor)               \
    use(PQsetnonblocking) use(PQenterPipelineMode) use(PQpipelineSync) use(PQsendPrepare)                \
    use(PQsendQueryPrepared) use(PQsendQueryParams) use(PQflush) use(PQconsumeInput) use(PQisBusy)       \
    use(PQgetResult) use(PQresultStatus) use(PQresultErrorField) use(PQntuples) use(PQgetvalue)          \
    use(PQgetlength) use(PQgetisnull) use(PQcmdTuples) use(PQclear) use(PQnotifies)

#define FIELD(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(FIELD)
} library;

const char *cpg_open(void) {
    static void *handle;
    if (handle != NULL) return NULL;
    void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (opened == NULL) return dlerror();
#define LOOK_UP(name)                                                                                    \
    *(void **)&library.name = dlsym(opened, #name);                                                      \
    if (library.name == NULL) return dlerror();
    FUNCTIONS(LOOK_UP)
    handle = opened;
    return NULL;
}

bool cpg_parse(const char *url, void *data,
               void (*each)(void *data, const char *keyword, const char *value), char **fault) {
    *fault = NULL;
    PQconninfoOption *options = library.PQconninfoParse(url, fault);
    if (options == NULL) return false;
    for (PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (option->val != NULL) each(data, option->keyword, option->val);
    }
    library.PQconninfoFree(options);
    return true;
}

void cpg_free(void *memory) {
    if (memory != NULL) library.PQfreemem(memory);
}

static void ignore(void *data, const char *text) { (void)data, (void)text; }

cpg_connection *cpg_connect(const char *const *keywords, const char *const *values) {
    PGconn *connection = library.PQconnectStartParams(keywords, values, 0);
    /* Else notices of the server are written to stderr. */
    if (connection != NULL) library.PQsetNoticeProcessor(connection, ignore, NULL);
    return connection;
}

cpg_step cpg_connect_step(cpg_connection *connection) {
    if (library.PQstatus(connection) == CONNECTION_BAD) return cpg_step_failed;
    switch (library.PQconnectPoll(connection)) {
    case PGRES_POLLING_READING: return cpg_step_read;
    case PGRES_POLLING_WRITING: return cpg_step_write;
    case PGRES_POLLING_OK: return cpg_step_done;
    default: return cpg_step_failed;
    }
}

bool cpg_begin_pipeline(cpg_connection *connection) {
    return library.PQsetnonblocking(connection, 1) == 0 && library.PQenterPipelineMode(connection) == 1;
}

void cpg_close(cpg_connection *connection) { library.PQfinish(connection); }

int32_t cpg_socket(cpg_connection *connection) { return library.PQsocket(connection); }
bool cpg_is_open(cpg_connection *connection) { return library.PQstatus(connection) == CONNECTION_OK; }
const char *cpg_message(cpg_connection *connection) { return library.PQerrorMessage(connection); }
int32_t cpg_server_version(cpg_connection *connection) { return library.PQserverVersion(connection); }
int32_t cpg_process(cpg_connection *connection) { return library.PQbackendPID(connection); }

const char *cpg_parameter(cpg_connection *connection, const char *name) {
    return library.PQparameterStatus(connection, name);
}

const char *cpg_host(cpg_connection *connection) { return library.PQhost(connection); }
const char *cpg_port(cpg_connection *connection) { return library.PQport(connection); }
const char *cpg_user(cpg_connection *connection) { return library.PQuser(connection); }
const char *cpg_database(cpg_connection *connection) { return library.PQdb(connection); }

bool cpg_needs_password(cpg_connection *connection) {
    return library.PQconnectionNeedsPassword(connection) == 1;
}

bool cpg_used_password(cpg_connection *connection) {
    return library.PQconnectionUsedPassword(connection) == 1;
}

bool cpg_prepare(cpg_connection *connection, const char *name, const char *text) {
    return library.PQsendPrepare(connection, name, text, 0, NULL) == 1;
}

bool cpg_run_prepared(cpg_connection *connection, const char *name, int32_t count, const char *const *values,
                      const int32_t *lengths, const int32_t *formats) {
    return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats, 0) == 1;
}

bool cpg_run(cpg_connection *connection, const char *text, int32_t count, const char *const *values,
             const int32_t *lengths, const int32_t *formats) {
    return library.PQsendQueryParams(connection, text, count, NULL, values, lengths, formats, 0) == 1;
}

bool cpg_sync(cpg_connection *connection) { return library.PQpipelineSync(connection) == 1; }
int32_t cpg_flush(cpg_connection *connection) { return library.PQflush(connection); }
bool cpg_receive(cpg_connection *connection) { return library.PQconsumeInput(connection) == 1; }
bool cpg_is_waiting(cpg_connection *connection) { return library.PQisBusy(connection) == 1; }
cpg_result *cpg_next(cpg_connection *connection) { return library.PQgetResult(connection); }

cpg_outcome cpg_result_outcome(const cpg_result *result) {
    switch (library.PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY: return cpg_outcome_done;
    case PGRES_TUPLES_OK: return cpg_outcome_rows;
    case PGRES_PIPELINE_SYNC: return cpg_outcome_sync;
    case PGRES_PIPELINE_ABORTED: return cpg_outcome_skipped;
    default: return cpg_outcome_failed;
    }
}

const char *cpg_result_state(const cpg_result *result) {
    return library.PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

const char *cpg_result_message(const cpg_result *result) {
    return library.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

const char *cpg_result_detail(const cpg_result *result) {
    return library.PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
}

int32_t cpg_result_rows(const cpg_result *result) { return library.PQntuples(result); }

const char *cpg_result_value(const cpg_result *result, int32_t row, int32_t column) {
    return library.PQgetvalue(result, row, column);
}

int32_t cpg_result_bytes(const cpg_result *result, int32_t row, int32_t column) {
    return library.PQgetlength(result, row, column);
}

bool cpg_result_is_null(const cpg_result *result, int32_t row, int32_t column) {
    return library.PQgetisnull(result, row, column) == 1;
}

int64_t cpg_result_changed(cpg_result *result) { return atoll(library.PQcmdTuples(result)); }

void cpg_result_free(cpg_result *result) { library.PQclear(result); }

void cpg_notices(cpg_connection *connection, void *data, void (*each)(void *data, const char *text)) {
    PGnotify *notice;
    while ((notice = library.PQnotifies(connection)) != NULL) {
        each(data, notice->extra);
        library.PQfreemem(notice);
    }
}
