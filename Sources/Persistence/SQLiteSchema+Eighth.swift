// SPDX-License-Identifier: Apache-2.0

/// Version 8: what became of requests, minute by minute and hour by hour; the traces of which they are a part.
extension SQLiteSchema {
    /// From version 7. A span is a number of seconds; `at` is when it begins. The counts are the bytes of a `Rollup`.
    static let rollups = """
        CREATE TABLE rollup (
            span INTEGER NOT NULL,
            at INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            counts BLOB NOT NULL,
            PRIMARY KEY (span, at, identifier)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE request ADD COLUMN trace TEXT;
        -- Few of the journal: those that say why something was late.
        CREATE INDEX journal_cause ON journal (at) WHERE \(isCause);
        """

    /// An entry of `JournalEntry.What.causes`. It never changes: an index has these. With IN, SQLite would make a table of
    /// the four for each entry that is written.
    static let isCause = "(what = 11 OR what = 12 OR what = 18 OR what = 22)"

    static let rollupRowChecks = [
        """
        SELECT 'the roll-up of ' || identifier || ' at ' || at || ' makes no sense' FROM rollup
            WHERE NOT (span IN (60, 3600) AND at >= 0 AND at % (span * 1000000000) = 0) LIMIT 100
        """
    ]
}
