/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lsqlite3
 *
 * Has a database in memory for each task; where the task is told to stop, the expiration
 * callback interrupts the query with sqlite3_interrupt, under a lock that the run function
 * holds only to open and close.
 */
#include "stranger.h"

#include <pthread.h>
#include <sqlite3.h>

CURFEW_PLUGIN_NOTE();

typedef struct {
    pthread_mutex_t lock;
    sqlite3 *database;
    curfew_task task;
} session;

static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "SELECT count(*) FROM n";
static const char plain[] = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
                            "INSERT INTO t(b) VALUES ('one'), ('two'), ('three');"
                            "SELECT count(*) FROM t";

static int look(void *data) {
    const void **place = data;
    const curfew_host_api *api = place[0];
    return api->is_expired(api, *(const curfew_task *)place[1]);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    session *self = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");

    sqlite3 *database = NULL;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) {
        sqlite3_close(database);
        return failed(error, "no database");
    }
    const void *place[] = {api, &task};
    sqlite3_progress_handler(database, 10000, look, place);
    pthread_mutex_lock(&self->lock);
    self->database = database;
    self->task = task;
    pthread_mutex_unlock(&self->lock);

    const char *query = payload_is(&info, "slow") ? endless : plain;
    char *problem = NULL;
    curfew_status status = CURFEW_OK;
    if (sqlite3_exec(database, query, NULL, NULL, &problem) != SQLITE_OK)
        status = failed(error, problem ? problem : "the query failed");
    sqlite3_free(problem);

    pthread_mutex_lock(&self->lock);
    self->database = NULL;
    pthread_mutex_unlock(&self->lock);
    sqlite3_close(database);
    return status;
}

static void expired(void *data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    session *self = data;
    (void)api, (void)reason;
    pthread_mutex_lock(&self->lock);
    if (self->database != NULL && self->task == task) sqlite3_interrupt(self->database);
    pthread_mutex_unlock(&self->lock);
}

static void retire(void *data) {
    session *self = data;
    pthread_mutex_destroy(&self->lock);
    free(self);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    session *made = calloc(1, sizeof *made);
    if (made == NULL) return failed(error, "no memory");
    pthread_mutex_init(&made->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = made,
                                    .run = run,
                                    .expired = expired};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        retire(made);
        return status;
    }
    info->plugin_data = made;
    info->retire = retire;
    return CURFEW_OK;
}
