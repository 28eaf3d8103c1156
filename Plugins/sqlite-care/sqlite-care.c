/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite-care: checks an SQLite database and writes a compact, analysed copy of it, while the
 * original stays as it is, byte for byte.
 *
 * Payload, JSON of at most 64 KiB, absolute paths:
 *
 *     {"database": "/srv/app.db", "snapshot": "/backup/app.db"}
 *
 * Steps: `PRAGMA integrity_check`; then, when "snapshot" is given, `VACUUM INTO` a file beside the
 * snapshot, `ANALYZE` inside that file, and one rename. So the snapshot is the previous one or the
 * complete new one at any moment. After each step the event `sqlite_care_checked(step, ok)` is
 * raised. The result is JSON: {"integrity":"ok","pages":1234,"snapshotBytes":5054464}, without the
 * last member when there is no snapshot.
 *
 * SQLite itself may put `-wal` and `-shm` files beside a database in WAL mode while it reads it.
 */
#define _GNU_SOURCE
#include <curfew/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

enum {
    payload_limit = 65536,
    problem_limit = 100,   /* integrity_check stops after so many problems */
    check_every = 4000,    /* virtual machine steps between two looks at the clock; below 1 ms */
    busy_wait_ms = 20,     /* one wait for a lock of another program, … */
    busy_waits_most = 1500 /* … and how many of them: 30 s */
};

#define PART_SUFFIX ".curfew-part"

/* The parts of the whole that the progress shows when a snapshot is made. */
#define CHECKED 0.40
#define VACUUMED 0.85
#define ANALYSED 0.98

/* One task of this plugin, from the entry of `run` to its return. */
typedef struct care {
    const curfew_host_api *api;
    curfew_task task;
    curfew_error *error;
    struct care_table *table;
    struct care *next; /* under table->lock */
    sqlite3 *watched;  /* under table->lock: what `expired` may interrupt; NULL when nothing */

    char *database; /* all three are canonical paths */
    char *snapshot; /* NULL: integrity check only */
    char *part;     /* the file that becomes the snapshot */
    int part_fd;    /* -1: there is none */
    bool copying;   /* VACUUM INTO is at work on `part` */
    struct stat original;

    const char *step;   /* for progress and for texts */
    double from, to;    /* the step's share of the progress */
    double reported;    /* the last fraction that the host was told */
    int64_t pages;      /* of the original */
    int64_t page_bytes; /* of one of them */
    int64_t snapshot_bytes;
} care;

/* The state for one host table: the tasks that run there. Two hosts have one each. */
typedef struct care_table {
    pthread_mutex_t lock;
    care *running; /* under lock */
} care_table;

/* --- Errors ----------------------------------------------------------------------------------- */

static curfew_status fail(curfew_error *error, curfew_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static curfew_status fail(curfew_error *error, curfew_status status, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->code = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

static bool should_stop(const care *self) { return self->api->is_expired(self->api, self->task); }

static const char *reason_text(const care *self) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (self->api->task_info(self->api, self->task, &info) != CURFEW_OK) return "it was told to";
    switch (info.reason) {
        case CURFEW_REASON_BUDGET:
            return "its time was up";
        case CURFEW_REASON_CONDITION:
            return "something it requires was lost";
        case CURFEW_REASON_CANCELLED:
            return "it was cancelled";
        case CURFEW_REASON_SHUTDOWN:
            return "the host is shutting down";
        default:
            return "the host asked for it";
    }
}

/* Says how far the task came. Nothing of a new snapshot is left behind by then. */
static curfew_status stopped(const care *self) {
    const char *snapshot = self->snapshot == NULL ? ""
                                                  : "; no new snapshot was written, an earlier "
                                                    "one is as it was";
    return fail(self->error, CURFEW_FAILED,
                "stopped in the step '%s' of %s (%.0f %% of the work), because %s%s; the next run "
                "starts from the beginning and needs a larger budget if the time was the reason",
                self->step, self->database, self->reported * 100, reason_text(self), snapshot);
}

/* The next thing to do about a result code of SQLite. */
static const char *advice(int code) {
    switch (code & 0xff) {
        case SQLITE_CANTOPEN:
            return "check that it may be read by this process, and, for a database in WAL mode, "
                   "that its directory may be written";
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return "check that this process may read it";
        case SQLITE_NOTADB:
            return "it is no SQLite database, or an encrypted one";
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "another program keeps it locked: run again later";
        case SQLITE_READONLY:
            return "a program left an unfinished transaction in it: open it once with a program "
                   "that may write to it";
        case SQLITE_CORRUPT:
            return "it is damaged: restore it from a backup";
        case SQLITE_FULL:
            return "free some space on the disk";
        case SQLITE_IOERR:
            return "check the disk and the free space on it";
        case SQLITE_NOMEM:
            return "there is not enough memory";
        default:
            return "check it with the sqlite3 command line tool";
    }
}

/* A step of SQLite's went wrong on `file`; `db` still has the text. */
static curfew_status sqlite_failed(const care *self, sqlite3 *db, const char *file) {
    int code = sqlite3_extended_errcode(db);
    if (code == SQLITE_INTERRUPT || should_stop(self)) return stopped(self);
    return fail(self->error, CURFEW_FAILED, "%s of %s failed: %s (SQLite code %d); %s", self->step,
                file, sqlite3_errmsg(db), code, advice(code));
}

/* Reports that the operating system failed `action` on `file`. */
static curfew_status system_failed(const care *self, const char *action, const char *file,
                                   int error) {
    char text[128];
    return fail(self->error, CURFEW_SYSTEM, "could not %s %s: %s", action, file,
                strerror_r(error, text, sizeof text));
}

static curfew_status out_of_memory(curfew_error *error) {
    return fail(error, CURFEW_SYSTEM, "not enough memory to start; run again later");
}

/* --- Progress and stopping -------------------------------------------------------------------- */

/* Reports a fraction of the current step, when it is worth a report. */
static void report(care *self, double fraction) {
    if (fraction > 1) fraction = 1;
    double whole = self->from + (self->to - self->from) * fraction;
    if (whole < self->reported + 0.01) return;
    self->reported = whole;
    self->api->progress(self->api, self->task, whole, CURFEW_TEXT(self->step));
}

static void begin(care *self, const char *step, double from, double to) {
    self->step = step;
    self->from = from;
    self->to = to;
    self->api->progress(self->api, self->task, from, CURFEW_TEXT(step));
}

/* Ends a step, with an event for subscribers that reports its success. */
static void finish(care *self, bool ok) {
    const curfew_value values[] = {
        {.struct_size = sizeof values[0],
         .type = CURFEW_TYPE_TEXT,
         .text = self->step,
         .text_bytes = strlen(self->step)},
        {.struct_size = sizeof values[0], .type = CURFEW_TYPE_BOOL, .integer = ok},
    };
    if (ok) report(self, 1);
    self->api->raise(self->api, self->task, "sqlite_care_checked", values, 2);
}

/* SQLite calls it every `check_every` steps of its virtual machine; true interrupts it. It covers
 * what sqlite3_interrupt does not: a statement that starts after the interruption. */
static int working(void *context) {
    care *self = context;
    if (should_stop(self)) return 1;
    struct stat part;
    int read = 0, highest = 0;
    if (self->copying) {
        /* The copy grows to about the size of the original. */
        double whole = (double)self->pages * (double)self->page_bytes;
        if (whole > 0 && fstat(self->part_fd, &part) == 0)
            report(self, (double)part.st_size / whole);
    } else if (self->part_fd < 0 && self->pages > 0) {
        /* The integrity check reads every page as part of a tree, then every row and its index
         * entries, in an order of their own. How often that fetches a page again is not known
         * beforehand, so the fraction only approaches 1. */
        sqlite3_db_status(self->watched, SQLITE_DBSTATUS_CACHE_MISS, &read, &highest, 0);
        report(self, read / (read + 2.0 * (double)self->pages));
    }
    return 0;
}

/* Another program has the database locked. SQLite does not look at interruptions while it waits. */
static int waiting(void *context, int waits) {
    care *self = context;
    if (waits >= busy_waits_most || should_stop(self)) return 0;
    sqlite3_sleep(busy_wait_ms);
    return 1;
}

/* Opens a database so that `expired` can interrupt it. On failure there is nothing to close. */
static curfew_status open_watched(care *self, const char *name, const char *file, int flags,
                                  sqlite3 **result) {
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(name, &db, flags | SQLITE_OPEN_EXRESCODE, NULL) != SQLITE_OK) {
        curfew_status status =
            db == NULL ? out_of_memory(self->error) : sqlite_failed(self, db, file);
        sqlite3_close(db);
        return status;
    }
    /* The schema of a foreign file is not trusted, and closing must not move a WAL into it. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_busy_handler(db, waiting, self);
    sqlite3_progress_handler(db, check_every, working, self);
    pthread_mutex_lock(&self->table->lock);
    self->watched = db;
    pthread_mutex_unlock(&self->table->lock);
    *result = db;
    return CURFEW_OK;
}

static void close_watched(care *self, sqlite3 *db) {
    pthread_mutex_lock(&self->table->lock);
    self->watched = NULL;
    pthread_mutex_unlock(&self->table->lock);
    sqlite3_close(db);
}

/* --- The payload ------------------------------------------------------------------------------ */

static char *joined(const char *left, const char *right) {
    char *text = NULL;
    return asprintf(&text, "%s%s", left, right) < 0 ? NULL : text;
}

/* Copies an absolute path out of a column. */
static curfew_status read_path(sqlite3_stmt *statement, int column, const char *member,
                               char **result, curfew_error *error) {
    const char *type = (const char *)sqlite3_column_text(statement, column);
    const char *text = (const char *)sqlite3_column_text(statement, column + 1);
    if (type == NULL || strcmp(type, "text") != 0 || text == NULL || text[0] != '/' ||
        strlen(text) >= PATH_MAX - sizeof PART_SUFFIX "-journal")
        return fail(error, CURFEW_INVALID,
                    "the payload's \"%s\" is not a path that starts with '/' and has less than %d "
                    "bytes",
                    member, PATH_MAX - (int)sizeof PART_SUFFIX "-journal");
    *result = strdup(text);
    return *result == NULL ? out_of_memory(error) : CURFEW_OK;
}

/* Reads the payload with SQLite's own JSON functions. */
static curfew_status read_payload(care *self) {
    static const char form[] =
        "the payload must be JSON such as {\"database\": \"/srv/app.db\", "
        "\"snapshot\": \"/backup/app.db\"}";
    curfew_task_info info = {.struct_size = sizeof info};
    if (self->api->task_info(self->api, self->task, &info) != CURFEW_OK)
        return fail(self->error, CURFEW_STALE, "the task is over before it began");
    if (info.payload_bytes == 0) return fail(self->error, CURFEW_INVALID, "%s; it is empty", form);
    if (info.payload_bytes > payload_limit)
        return fail(self->error, CURFEW_TOO_LARGE, "%s; it has more than %d bytes", form,
                    payload_limit);

    /* SQLite's JSON ends at a NUL, written or escaped, and would drop what follows. */
    if (memchr(info.payload, 0, info.payload_bytes) != NULL ||
        memmem(info.payload, info.payload_bytes, "\\u0000", 6) != NULL)
        return fail(self->error, CURFEW_INVALID, "%s; there is a NUL in it", form);

    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    curfew_status status = CURFEW_OK;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(
            db,
            "SELECT json_type(j, '$.database'), json_extract(j, '$.database'), "
            "json_type(j, '$.snapshot'), json_extract(j, '$.snapshot') "
            "FROM (SELECT ?1 AS j WHERE json_valid(?1) AND json_type(?1) = 'object')",
            -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, info.payload, (int)info.payload_bytes, SQLITE_STATIC) !=
            SQLITE_OK) {
        status = fail(self->error, CURFEW_FAILED,
                      "this SQLite cannot read JSON: %s; install one with its JSON functions",
                      db == NULL ? "not enough memory" : sqlite3_errmsg(db));
    } else if (sqlite3_step(statement) != SQLITE_ROW) {
        status = fail(self->error, CURFEW_INVALID, "%s; it is not a JSON object", form);
    } else {
        status = read_path(statement, 0, "database", &self->database, self->error);
        if (status == CURFEW_OK && sqlite3_column_type(statement, 3) != SQLITE_NULL)
            status = read_path(statement, 2, "snapshot", &self->snapshot, self->error);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return status;
}

/* Replaces the path of an existing file by its canonical form. */
static curfew_status find_database(care *self) {
    char *canonical = realpath(self->database, NULL);
    if (canonical == NULL) return system_failed(self, "find the database", self->database, errno);
    free(self->database);
    self->database = canonical;
    if (stat(canonical, &self->original) != 0)
        return system_failed(self, "look at the database", canonical, errno);
    if (!S_ISREG(self->original.st_mode))
        return fail(self->error, CURFEW_INVALID, "the database %s is not a regular file",
                    canonical);
    return CURFEW_OK;
}

/* A file that SQLite would take for the journal of the snapshot would damage it. */
static curfew_status no_journal_waits(const care *self) {
    static const char *const suffixes[] = {"-journal", "-wal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        struct stat found;
        char *name = joined(self->snapshot, suffixes[i]);
        if (name == NULL) return out_of_memory(self->error);
        bool waits = lstat(name, &found) == 0 && found.st_size > 0;
        free(name);
        if (waits)
            return fail(self->error, CURFEW_FAILED,
                        "the snapshot %s is in use: %s%s belongs to it and is not empty; close "
                        "the program that uses it, or remove both files",
                        self->snapshot, self->snapshot, suffixes[i]);
    }
    return CURFEW_OK;
}

/* Makes the snapshot's path canonical, and refuses one that would overwrite the original. */
static curfew_status find_snapshot(care *self) {
    char *slash = strrchr(self->snapshot, '/');
    if (slash[1] == 0 || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
        return fail(self->error, CURFEW_INVALID, "the snapshot %s names no file", self->snapshot);
    *slash = 0;
    char *directory = realpath(slash == self->snapshot ? "/" : self->snapshot, NULL);
    int error = errno;
    *slash = '/';
    if (directory == NULL)
        return system_failed(self, "find the directory of the snapshot", self->snapshot, error);
    char *canonical = joined(strcmp(directory, "/") == 0 ? "" : directory, slash);
    free(directory);
    if (canonical == NULL) return out_of_memory(self->error);
    free(self->snapshot);
    self->snapshot = canonical;
    self->part = joined(canonical, PART_SUFFIX);
    if (self->part == NULL) return out_of_memory(self->error);

    struct stat existing;
    bool exists = lstat(canonical, &existing) == 0;
    /* The same file, or one that SQLite keeps beside a database: name, name-wal, … */
    const char *const ours[] = {self->snapshot, self->part};
    bool collides = exists && existing.st_dev == self->original.st_dev &&
                    existing.st_ino == self->original.st_ino;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0] && !collides; i++) {
        size_t own = strlen(ours[i]), other = strlen(self->database);
        size_t common = own < other ? own : other;
        const char *rest = own < other ? self->database + common : ours[i] + common;
        collides = strncmp(ours[i], self->database, common) == 0 &&
                   (rest[0] == 0 || strcmp(rest, "-wal") == 0 || strcmp(rest, "-shm") == 0 ||
                    strcmp(rest, "-journal") == 0);
    }
    if (collides)
        return fail(self->error, CURFEW_INVALID,
                    "the snapshot %s would overwrite the database %s or a file that belongs to "
                    "it; name another file",
                    self->snapshot, self->database);
    if (exists && !S_ISREG(existing.st_mode))
        return fail(self->error, CURFEW_INVALID,
                    "the snapshot %s exists and is not a regular file; name another one",
                    self->snapshot);
    return no_journal_waits(self);
}

/* --- The file that becomes the snapshot ------------------------------------------------------- */

/* Opens `part`, locked and empty; what a killed run left is used again. The lock keeps another
 * task, in this process or another one, from writing the same snapshot. */
static curfew_status open_part(care *self) {
    for (int tries = 0; tries < 8; tries++) {
        int fd = open(self->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd < 0) return system_failed(self, "create", self->part, errno);
        struct stat opened, named;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            int error = errno;
            close(fd);
            if (error == EWOULDBLOCK) break;
            return system_failed(self, "lock", self->part, error);
        }
        /* Between open and flock its owner may have renamed or removed it: then take the new one.
         */
        if (fstat(fd, &opened) != 0 || lstat(self->part, &named) != 0 ||
            opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) {
            close(fd);
            continue;
        }
        if (!S_ISREG(opened.st_mode) || opened.st_nlink != 1 || ftruncate(fd, 0) != 0 ||
            fchmod(fd, 0600) != 0) {
            close(fd);
            return fail(self->error, CURFEW_FAILED, "%s is in the way; remove it", self->part);
        }
        self->part_fd = fd;
        return CURFEW_OK;
    }
    return fail(self->error, CURFEW_BUSY,
                "another task writes the snapshot %s at this moment; run again later",
                self->snapshot);
}

/* Removes what SQLite put beside `part`, and `part` itself unless it has become the snapshot. */
static void close_part(care *self, bool published) {
    if (self->part_fd < 0) return;
    static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = joined(self->part, suffixes[i]);
        if (name != NULL) unlink(name);
        free(name);
    }
    if (!published) unlink(self->part);
    close(self->part_fd);
    self->part_fd = -1;
}

/* Makes the finished copy the snapshot, durably. */
static curfew_status publish(care *self) {
    struct stat copy;
    curfew_status status = no_journal_waits(self);
    if (status != CURFEW_OK) return status;
    if (fchmod(self->part_fd, self->original.st_mode & 0777) != 0)
        return system_failed(self, "set the mode of", self->part, errno);
    if (fsync(self->part_fd) != 0 || fstat(self->part_fd, &copy) != 0)
        return system_failed(self, "bring to the disk", self->part, errno);
    self->snapshot_bytes = copy.st_size;
    if (should_stop(self)) return stopped(self);
    if (rename(self->part, self->snapshot) != 0)
        return system_failed(self, "put the new copy in place as", self->snapshot, errno);
    /* From here on the new snapshot is there. Without this call a power cut could bring the old
     * one back, complete as well; a file system that cannot do it is no reason to fail. */
    char *slash = strrchr(self->part, '/');
    *slash = 0;
    int directory =
        open(slash == self->part ? "/" : self->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *slash = '/';
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
    return CURFEW_OK;
}

/* --- The steps -------------------------------------------------------------------------------- */

/* Opens the original so that no byte of it can change. It must not be opened in any other way, not
 * even to look at it: closing a second descriptor would drop the locks that this process, through
 * the embedder's own use of SQLite, may have on it. */
static curfew_status open_original(care *self, sqlite3 **result) {
    static const char hex[] = "0123456789ABCDEF";
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *uri = malloc(strlen(self->database) * 3 + sizeof "file:?mode=ro");
    if (uri == NULL) return out_of_memory(self->error);
    char *end = stpcpy(uri, "file:");
    for (const char *c = self->database; *c != 0; c++) {
        if (strchr(plain, *c) != NULL) {
            *end++ = *c;
        } else {
            *end++ = '%';
            *end++ = hex[(unsigned char)*c >> 4];
            *end++ = hex[(unsigned char)*c & 15];
        }
    }
    strcpy(end, "?mode=ro");
    curfew_status status =
        open_watched(self, uri, self->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, result);
    free(uri);
    return status;
}

static curfew_status read_integer(care *self, sqlite3 *db, const char *sql, int64_t *result) {
    sqlite3_stmt *statement = NULL;
    curfew_status status = CURFEW_OK;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        status = sqlite_failed(self, db, self->database);
    else
        *result = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

/* Counts the problems in a row of integrity_check, one a line, and keeps the first one. */
static int read_problems(const char *row, char *first, size_t first_bytes) {
    int problems = 0;
    if (strcmp(row, "ok") == 0) return 0;
    while (*row != 0) {
        size_t length = strcspn(row, "\n");
        bool heading = strncmp(row, "*** in database", 15) == 0;
        if (!heading && length > 0 && problems++ == 0 && first[0] == 0)
            snprintf(first, first_bytes, "%.*s", (int)(length < 400 ? length : 400), row);
        row += length + (row[length] == '\n');
    }
    return problems;
}

/* Reads the whole database. */
static curfew_status check_integrity(care *self, sqlite3 *db) {
    begin(self, "integrity_check", 0, self->snapshot == NULL ? 1 : CHECKED);
    curfew_status status = read_integer(self, db, "PRAGMA page_count", &self->pages);
    if (status == CURFEW_OK) status = read_integer(self, db, "PRAGMA page_size", &self->page_bytes);
    if (status != CURFEW_OK) return status;

    char sql[64], first[512] = "";
    snprintf(sql, sizeof sql, "PRAGMA integrity_check(%d)", problem_limit);
    sqlite3_stmt *statement = NULL;
    int problems = 0;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            const char *row = (const char *)sqlite3_column_text(statement, 0);
            if (row != NULL) problems += read_problems(row, first, sizeof first);
        }
    }
    if (should_stop(self)) {
        /* An interrupted check may report what it did not see as a problem. */
        status = stopped(self);
    } else if (code != SQLITE_DONE) {
        status = sqlite_failed(self, db, self->database);
        finish(self, false);
    } else if (problems > 0) {
        status = fail(self->error, CURFEW_FAILED,
                      "%s is damaged: integrity_check found %s%d problem(s), the first: %s; "
                      "%srestore the database from a backup, or save what the sqlite3 tool's "
                      ".recover can read",
                      self->database, problems >= problem_limit ? "at least " : "", problems, first,
                      self->snapshot == NULL ? ""
                                             : "no new snapshot was written, an earlier one is as "
                                               "it was; ");
        finish(self, false);
    } else {
        finish(self, true);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Runs one statement that gives no rows, for the step's work on `file`. */
static curfew_status run_step(care *self, sqlite3 *db, const char *file, const char *sql,
                              const char *argument) {
    sqlite3_stmt *statement = NULL;
    curfew_status status = CURFEW_OK;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        (argument != NULL &&
         sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC) != SQLITE_OK) ||
        sqlite3_step(statement) != SQLITE_DONE) {
        status = sqlite_failed(self, db, file);
        if (!should_stop(self)) finish(self, false);
    }
    sqlite3_finalize(statement);
    return status;
}

static curfew_status vacuum(care *self, sqlite3 *db) {
    begin(self, "vacuum", CHECKED, VACUUMED);
    /* The copy is brought to the disk once, at the end, by `publish`. */
    curfew_status status = run_step(self, db, self->database, "PRAGMA synchronous = OFF", NULL);
    self->copying = true;
    if (status == CURFEW_OK)
        status = run_step(self, db, self->database, "VACUUM INTO ?1", self->part);
    self->copying = false;
    if (status == CURFEW_OK) finish(self, true);
    return status;
}

static curfew_status analyse(care *self) {
    begin(self, "analyze", VACUUMED, ANALYSED);
    sqlite3 *db = NULL;
    curfew_status status = open_watched(self, self->part, self->part, SQLITE_OPEN_READWRITE, &db);
    if (status != CURFEW_OK) return status;
    /* A run that ends in the middle throws the file away: no journal on the disk is needed. */
    sqlite3_exec(db, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    status = run_step(self, db, self->part, "ANALYZE", NULL);
    close_watched(self, db);
    if (status == CURFEW_OK) finish(self, true);
    return status;
}

static curfew_status work(care *self) {
    self->step = "start";
    curfew_status status = read_payload(self);
    if (status == CURFEW_OK) status = find_database(self);
    if (status == CURFEW_OK && self->snapshot != NULL) status = find_snapshot(self);
    if (status != CURFEW_OK) return status;
    if (should_stop(self)) return stopped(self);

    sqlite3 *db = NULL;
    status = open_original(self, &db);
    if (status != CURFEW_OK) return status;
    status = check_integrity(self, db);
    if (status == CURFEW_OK && self->snapshot != NULL) {
        if (should_stop(self)) status = stopped(self);
        if (status == CURFEW_OK) status = open_part(self);
        if (status == CURFEW_OK) status = vacuum(self, db);
    }
    close_watched(self, db);
    if (status == CURFEW_OK && self->snapshot != NULL) {
        status = should_stop(self) ? stopped(self) : analyse(self);
        if (status == CURFEW_OK) status = publish(self);
    }
    close_part(self, status == CURFEW_OK);
    if (status == CURFEW_OK) self->api->progress(self->api, self->task, 1, CURFEW_TEXT("done"));
    return status;
}

/* --- Functions for the host ------------------------------------------------------------------- */

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    care_table *table = handler_data;
    care self = {
        .api = api, .task = task, .error = host_error, .table = table, .part_fd = -1, .step = ""};
    pthread_mutex_lock(&table->lock);
    self.next = table->running;
    table->running = &self;
    pthread_mutex_unlock(&table->lock);

    curfew_status status = work(&self);

    pthread_mutex_lock(&table->lock);
    care **link = &table->running;
    while (*link != &self) link = &(*link)->next;
    *link = self.next;
    pthread_mutex_unlock(&table->lock);

    if (status == CURFEW_OK) {
        char result[128];
        int length = snprintf(result, sizeof result, "{\"integrity\":\"ok\",\"pages\":%lld",
                              (long long)self.pages);
        if (self.snapshot != NULL)
            length += snprintf(result + length, sizeof result - (size_t)length,
                               ",\"snapshotBytes\":%lld", (long long)self.snapshot_bytes);
        length += snprintf(result + length, sizeof result - (size_t)length, "}");
        /* Whatever the verdict is, the work is done; the host knows the rest. */
        api->complete(api, task, CURFEW_OK, NULL, 0, result, (uint64_t)length);
    }
    free(self.database);
    free(self.snapshot);
    free(self.part);
    return status;
}

/* Called on a watcher, concurrently with `run`. The lock keeps the connection open meanwhile. */
static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)api;
    (void)reason; /* `run` asks for it */
    care_table *table = handler_data;
    pthread_mutex_lock(&table->lock);
    for (care *each = table->running; each != NULL; each = each->next)
        if (each->task == task && each->watched != NULL) sqlite3_interrupt(each->watched);
    pthread_mutex_unlock(&table->lock);
}

static void retire(void *plugin_data) {
    care_table *table = plugin_data;
    pthread_mutex_destroy(&table->lock);
    free(table);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    if (sqlite3_libversion_number() < 3037000)
        return fail(host_error, CURFEW_REFUSED,
                    "sqlite-care needs SQLite 3.37 or newer, here is %s; update libsqlite3",
                    sqlite3_libversion());
    if (sqlite3_threadsafe() == 0)
        return fail(host_error, CURFEW_REFUSED,
                    "this libsqlite3 was built without threads; install one with them");
    care_table *table = calloc(1, sizeof *table);
    if (table == NULL) return out_of_memory(host_error);
    pthread_mutex_init(&table->lock, NULL);
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.curfew.sqlite-care",
                                    .handler_data = table,
                                    .run = run,
                                    .expired = expired};
    curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(table);
        return status;
    }
    host_info->plugin_data = table;
    host_info->retire = retire;
    return CURFEW_OK;
}
