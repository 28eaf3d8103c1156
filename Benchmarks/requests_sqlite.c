/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests_sqlite: what SQLite itself can do with the same durability (WAL, synchronous=FULL): one
 * row with 100 bytes an INSERT, each committed before its caller goes on.
 *
 *     requests_sqlite CALLERS COUNT DATABASE
 *
 * Every caller is a thread with a connection of its own, as a program has them that does no more than
 * it has to. The table has what a request must have to be found again by identifier and date.
 */
#include <pthread.h>
#include <sqlite3.h>

#include "measure.h"

static const char *path;
static int each;

static sqlite3 *open_database(void) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK) fail("%s", sqlite3_errmsg(db));
    sqlite3_busy_timeout(db, 60000);
    const char *setup =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE IF NOT EXISTS request (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " identifier TEXT, state INTEGER, not_before INTEGER, payload BLOB);"
        "CREATE INDEX IF NOT EXISTS due ON request (identifier, not_before) WHERE state = 1;";
    if (sqlite3_exec(db, setup, NULL, NULL, NULL) != SQLITE_OK) fail("%s", sqlite3_errmsg(db));
    return db;
}

static void *insert(void *data) {
    (void)data;
    static const char payload[100] = "as large as a small job";
    sqlite3 *db = open_database();
    sqlite3_stmt *statement;
    const char *sql = "INSERT INTO request (identifier, state, not_before, payload)"
                      " VALUES ('org.example.empty', 1, ?, ?)";
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail("%s", sqlite3_errmsg(db));
    for (int i = 0; i < each; i++) {
        sqlite3_bind_int64(statement, 1, i);
        sqlite3_bind_blob(statement, 2, payload, sizeof payload, SQLITE_STATIC);
        if (sqlite3_step(statement) != SQLITE_DONE) fail("%s", sqlite3_errmsg(db));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: requests_sqlite CALLERS COUNT DATABASE");
    const int callers = atoi(argv[1]), count = atoi(argv[2]);
    if (callers < 1 || callers > 1024 || count < callers) fail("odd numbers");
    path = argv[3];
    each = count / callers;
    sqlite3_close(open_database());
    pthread_t threads[1024];
    const uint64_t started = now_ns();
    for (int i = 0; i < callers; i++)
        if (pthread_create(&threads[i], NULL, insert, NULL) != 0) fail("no thread");
    for (int i = 0; i < callers; i++) pthread_join(threads[i], NULL);
    printf("per_second %.1f\n", (double)each * callers * 1e9 / (double)(now_ns() - started));
    return 0;
}
