/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SQLite can do with the durability that Curfew promises, and no more C around it than that
 * takes: WAL, synchronous=FULL, on the disk where DATABASE is, which must not exist.
 *
 *     limit submit | life    single | group    COUNT DATABASE
 *
 * submit: a row with a payload of 100 bytes is inserted, and committed before its caller goes on.
 * life: the row is inserted and claimed in one transaction, and completed in another: two commits
 * for each task. What is claimed is what the index of the queue has first, as a scheduler finds it.
 *
 * single: one caller and one connection; each statement of theirs has a commit of its own.
 * group: 64 callers hand what they want to one thread that writes; it commits all that has gathered
 * while it committed what came before, and then wakes those who wait for that. No caller asks for
 * anything else before it was woken.
 *
 * The row is as wide as Curfew's and has its index of the queue; pages, cache and check points are
 * set alike. Left out: the journal, the history of attempts, the tally and its triggers, all other
 * indexes, and whatever is looked at before a request is taken in or launched.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../measure.h"

enum { CALLERS = 64 };

/* --- The database -------------------------------------------------------------------------- */

static sqlite3 *db;
static sqlite3_stmt *begin, *commit, *insert, *find, *claim, *complete;

static void execute(const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail("%s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
        fail("%s: %s", sql, sqlite3_errmsg(db));
    return statement;
}

static void open_database(const char *path) {
    if (access(path, F_OK) == 0) fail("%s exists", path);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK) fail("%s", sqlite3_errmsg(db));
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0;"
            "PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;"
            "PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 33554432");
    execute("CREATE TABLE request (id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " identifier TEXT NOT NULL, kind INTEGER NOT NULL, needs INTEGER NOT NULL,"
            " priority INTEGER NOT NULL, not_before INTEGER NOT NULL, state INTEGER NOT NULL,"
            " submitted_at INTEGER NOT NULL, changed_at INTEGER NOT NULL,"
            " nominal INTEGER NOT NULL, retry_base INTEGER NOT NULL,"
            " retry_longest INTEGER NOT NULL, payload BLOB) STRICT");
    execute("CREATE INDEX request_queue ON request"
            " (identifier, kind, needs, priority, not_before) WHERE state = 1");
    begin = prepare("BEGIN IMMEDIATE");
    commit = prepare("COMMIT");
    insert = prepare("INSERT INTO request VALUES (NULL, 'org.example.parallel', 2, 0, 0, ?1, 1,"
                     " ?1, ?1, ?1, 30000000000, 21600000000000, ?2)");
    find = prepare("SELECT id FROM request WHERE state = 1 AND"
                   " identifier = 'org.example.parallel' AND kind = 2 AND needs = 0 AND"
                   " priority = 0 ORDER BY not_before, id LIMIT 1");
    claim = prepare("UPDATE request SET state = 2, changed_at = ?2 WHERE id = ?1");
    complete = prepare("UPDATE request SET state = 4, changed_at = ?2 WHERE id = ?1");
}

static void run(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("%s", sqlite3_errmsg(db));
    sqlite3_reset(statement);
}

/* Dates as Curfew's, which take eight bytes each in a row. */
static int64_t date(void) { return (int64_t)now_ns() + 1800000000000000000; }

static void insert_row(int64_t at) {
    static const char payload[100] = "as large as a small job";
    sqlite3_bind_int64(insert, 1, at);
    sqlite3_bind_blob(insert, 2, payload, sizeof payload, SQLITE_STATIC);
    run(insert);
}

static int64_t claim_row(int64_t at) {
    if (sqlite3_step(find) != SQLITE_ROW) fail("nothing to claim");
    const int64_t id = sqlite3_column_int64(find, 0);
    sqlite3_reset(find);
    sqlite3_bind_int64(claim, 1, id);
    sqlite3_bind_int64(claim, 2, at);
    run(claim);
    if (sqlite3_changes(db) != 1) fail("not claimed");
    return id;
}

static void complete_row(int64_t id, int64_t at) {
    sqlite3_bind_int64(complete, 1, id);
    sqlite3_bind_int64(complete, 2, at);
    run(complete);
    if (sqlite3_changes(db) != 1) fail("not completed");
}

/* The rows are all there, in the state in which they should be, and the file says so to another. */
static void check(const char *path, int count, bool is_life) {
    sqlite3_stmt *left[] = {begin, commit, insert, find, claim, complete};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) sqlite3_finalize(left[i]);
    if (sqlite3_close(db) != SQLITE_OK) fail("%s", sqlite3_errmsg(db));
    if (sqlite3_open(path, &db) != SQLITE_OK) fail("%s", sqlite3_errmsg(db));
    sqlite3_stmt *rows = prepare("SELECT count(*) FROM request WHERE state = ?1");
    sqlite3_bind_int(rows, 1, is_life ? 4 : 1);
    if (sqlite3_step(rows) != SQLITE_ROW || sqlite3_column_int(rows, 0) != count)
        fail("%d rows instead of %d", sqlite3_column_int(rows, 0), count);
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

/* --- One caller ---------------------------------------------------------------------------- */

static void single(int count, bool is_life) {
    for (int i = 0; i < count; i++) {
        if (!is_life) {
            insert_row(date());
            continue;
        }
        const int64_t at = date();
        run(begin);
        insert_row(at);
        const int64_t id = claim_row(at);
        run(commit);
        complete_row(id, date());
    }
}

/* --- Many callers -------------------------------------------------------------------------- */

/* What a caller wants to be written: 0: its row, or else the end of the row with that number. */
struct wish {
    int64_t id;
};

/* Callers add to the batch that gathers while the writer commits the other one. */
static struct {
    pthread_mutex_t lock;
    uint32_t gathering; /* the number of the batch, from 1 */
    int wishes;
    struct wish *wish[CALLERS];
    _Atomic uint32_t came;         /* the writer sleeps on it: 1 once something was added */
    _Atomic uint32_t committed[2]; /* callers sleep on it: the last even and odd batch */
} batches = {.lock = PTHREAD_MUTEX_INITIALIZER, .gathering = 1};

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* Hands a wish over and returns once it is on the disk. */
static void write_down(struct wish *wish) {
    pthread_mutex_lock(&batches.lock);
    const uint32_t batch = batches.gathering;
    batches.wish[batches.wishes++] = wish;
    const bool is_first = batches.wishes == 1;
    pthread_mutex_unlock(&batches.lock);
    if (is_first) {
        atomic_store(&batches.came, 1);
        futex_wake(&batches.came, 1);
    }
    _Atomic uint32_t *committed = &batches.committed[batch & 1];
    uint32_t last;
    while ((last = atomic_load(committed)) < batch) futex_wait(committed, last);
}

static int each;
static bool is_life;

static void *call(void *data) {
    (void)data;
    for (int i = 0; i < each; i++) {
        struct wish wish = {.id = 0};
        write_down(&wish);
        if (is_life) write_down(&wish);
    }
    return NULL;
}

static uint64_t commits;

static void write_batch(struct wish *const *wishes, int count) {
    const int64_t at = date();
    run(begin);
    for (int i = 0; i < count; i++) {
        if (wishes[i]->id != 0) {
            complete_row(wishes[i]->id, at);
        } else {
            insert_row(at);
            if (is_life) wishes[i]->id = claim_row(at);
        }
    }
    run(commit);
    commits++;
}

static void *write_batches(void *data) {
    int left = *(int *)data;
    while (left > 0) {
        while (atomic_exchange(&batches.came, 0) == 0) futex_wait(&batches.came, 0);
        struct wish *wishes[CALLERS];
        pthread_mutex_lock(&batches.lock);
        const int count = batches.wishes;
        const uint32_t batch = batches.gathering;
        memcpy(wishes, batches.wish, sizeof wishes[0] * (size_t)count);
        batches.wishes = 0;
        batches.gathering++;
        pthread_mutex_unlock(&batches.lock);
        write_batch(wishes, count);
        left -= count;
        atomic_store(&batches.committed[batch & 1], batch);
        futex_wake(&batches.committed[batch & 1], CALLERS);
    }
    return NULL;
}

static void group(int count) {
    pthread_t writer, callers[CALLERS];
    int wishes = is_life ? 2 * count : count;
    if (pthread_create(&writer, NULL, write_batches, &wishes) != 0) fail("no thread");
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i], NULL, call, NULL) != 0) fail("no thread");
    for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
    pthread_join(writer, NULL);
    printf("rows_per_commit %.1f\n", (double)wishes / (double)commits);
}

int main(int argc, char **argv) {
    const char *usage = "usage: limit submit|life single|group COUNT DATABASE";
    if (argc != 5) fail("%s", usage);
    is_life = strcmp(argv[1], "life") == 0;
    const bool is_group = strcmp(argv[2], "group") == 0;
    if (!is_life && strcmp(argv[1], "submit") != 0) fail("%s", usage);
    if (!is_group && strcmp(argv[2], "single") != 0) fail("%s", usage);
    int count = atoi(argv[3]);
    if (count < CALLERS) fail("COUNT must be %d or more", CALLERS);
    each = count / CALLERS;
    if (is_group) count = each * CALLERS;
    alarm(60);
    open_database(argv[4]);
    const uint64_t started = now_ns();
    if (is_group)
        group(count);
    else
        single(count, is_life);
    const uint64_t ended = now_ns();
    check(argv[4], count, is_life);
    printf("per_second %.1f\n", (double)count * 1e9 / (double)(ended - started));
    return 0;
}
