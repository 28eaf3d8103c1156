/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>

/* Functions of SQLite that are variadic or need a cast, which Swift does not import. */

/* A flag of sqlite3_db_config(3) that is on or off. */
static inline int csqlite_configure(sqlite3 *db, int what, int on) {
    return sqlite3_db_config(db, what, on, (int *)0);
}

/* The bytes are copied unless they are kept until others are bound; without any, it is a text of
 * length 0 and not NULL. */
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes,
                                    sqlite3_uint64 count, _Bool is_kept) {
    return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count,
                               is_kept ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Binds a blob, copied unless it is kept, as above. */
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                    sqlite3_uint64 count, _Bool is_kept) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count,
                               is_kept ? SQLITE_STATIC : SQLITE_TRANSIENT);
}
