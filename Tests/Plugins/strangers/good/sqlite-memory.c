/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Works with a database in memory, whose queries the expired callback interrupts.
 *
 * flags: -lsqlite3
 */
#include "stranger.h"

#include <pthread.h>
#include <sqlite3.h>

CURFEW_PLUGIN_NOTE();

struct state {
    pthread_mutex_t lock;
    curfew_task task;
    sqlite3 *database; /* of that task, while it is open */
};

static bool state_open(struct state *state) { return pthread_mutex_init(&state->lock, NULL) == 0; }

static void state_close(struct state *state) { pthread_mutex_destroy(&state->lock); }

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api;
    (void)reason;
    struct state *state = data;
    pthread_mutex_lock(&state->lock);
    if (state->task == task && state->database != NULL) sqlite3_interrupt(state->database);
    pthread_mutex_unlock(&state->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct state *state = data;
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(":memory:", &database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        sqlite3_close(database);
        return failed(error, "no database");
    }
    pthread_mutex_lock(&state->lock);
    state->task = task;
    state->database = database;
    pthread_mutex_unlock(&state->lock);
    curfew_status status = CURFEW_OK;
    sqlite3_stmt *query = NULL;
    if (sqlite3_exec(database,
                     "PRAGMA temp_store=memory; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200)"
                     "INSERT INTO t SELECT i, printf('row %d', i) FROM n;",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "SELECT count(*), sum(length(b)) FROM t WHERE a > ?1", -1,
                           &query, NULL) != SQLITE_OK) {
        status = failed(error, "the database could not be filled");
    } else {
        do {
            sqlite3_reset(query);
            sqlite3_bind_int(query, 1, 10);
            if (api->is_expired(api, task)) {
                status = failed(error, "told to stop");
            } else if (sqlite3_step(query) != SQLITE_ROW) {
                status = failed(error, "the query failed or was interrupted");
            } else if (sqlite3_column_int(query, 0) != 190) {
                status = failed(error, "a wrong count");
            }
            if (slow) pause_ms(1);
        } while (slow && status == CURFEW_OK);
    }
    sqlite3_finalize(query);
    pthread_mutex_lock(&state->lock);
    state->database = NULL;
    state->task = 0;
    pthread_mutex_unlock(&state->lock);
    sqlite3_close(database);
    return status;
}

static void retire(void *plugin_data) {
    state_close(plugin_data);
    free(plugin_data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory for the state of the plugin");
    if (!state_open(state)) {
        free(state);
        return failed(host_error, "the state of the plugin could not be set up");
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run,
                                    .expired = expired};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
