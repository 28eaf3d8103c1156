// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Version 5: a request says whether it waits for a quiet machine, and for how long; an attempt keeps
/// the end of its log, its result, its progress and the resources it used.
///
/// Requests that differ in this are in different queues, so that the first one of a queue is also
/// the first whose wait ends.
extension SQLiteSchema {
    /// From version 4, where the kind of a request said for what it waits: stored requests wait as
    /// before.
    static let fifth = """
        ALTER TABLE request ADD COLUMN opportunistic INTEGER NOT NULL DEFAULT \(RequestWish.no.rawValue);
        -- Nanoseconds; 0 for no limit.
        ALTER TABLE request ADD COLUMN at_most INTEGER NOT NULL DEFAULT 0;
        UPDATE request SET opportunistic = CASE
            WHEN kind IN (\(TaskKind.processing.rawValue), \(TaskKind.healthResearch.rawValue))
            THEN \(RequestWish.idle.rawValue) ELSE \(RequestWish.calm.rawValue) END
            WHERE state <= 3;

        DROP INDEX request_live;
        CREATE INDEX request_live ON request
            (state, identifier, kind, needs, priority, opportunistic, at_most, not_before)
            WHERE state <= 3;

        -- Lines with line ends between them, and the number of lines before them.
        ALTER TABLE attempt ADD COLUMN log TEXT;
        ALTER TABLE attempt ADD COLUMN log_dropped INTEGER;
        -- Its beginning, if it is text, and the size of the whole result.
        ALTER TABLE attempt ADD COLUMN result TEXT;
        ALTER TABLE attempt ADD COLUMN result_bytes INTEGER;
        ALTER TABLE attempt ADD COLUMN progress REAL;
        ALTER TABLE attempt ADD COLUMN progress_text TEXT;
        -- Nanoseconds of processor time; the rest is known of programs alone.
        ALTER TABLE attempt ADD COLUMN cpu INTEGER;
        ALTER TABLE attempt ADD COLUMN cpu_user INTEGER;
        ALTER TABLE attempt ADD COLUMN cpu_system INTEGER;
        ALTER TABLE attempt ADD COLUMN memory INTEGER;
        ALTER TABLE attempt ADD COLUMN bytes_read INTEGER;
        ALTER TABLE attempt ADD COLUMN bytes_written INTEGER;
        -- An exit status, or a negative number of a signal.
        ALTER TABLE attempt ADD COLUMN exit INTEGER;
        """

    static let fifthRowChecks =
        secondRowChecks + [
            """
            SELECT 'row ' || id || ' of table request makes no sense' FROM request WHERE NOT (
                opportunistic BETWEEN 0 AND 2 AND at_most >= 0) LIMIT 100
            """,
            """
            SELECT 'row ' || request || ' of table attempt makes no sense' FROM attempt WHERE NOT (
                coalesce(progress, 0) BETWEEN 0 AND 1
                AND min(coalesce(log_dropped, 0), coalesce(result_bytes, 0), coalesce(cpu, 0),
                    coalesce(cpu_user, 0), coalesce(cpu_system, 0), coalesce(memory, 0),
                    coalesce(bytes_read, 0), coalesce(bytes_written, 0)) >= 0) LIMIT 100
            """,
        ]
}
