// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Version 5: a request says whether it waits for a quiet machine, and for how long.
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
        """

    static let fifthRowChecks =
        secondRowChecks + [
            """
            SELECT 'row ' || id || ' of table request makes no sense' FROM request WHERE NOT (
                opportunistic BETWEEN 0 AND 2 AND at_most >= 0) LIMIT 100
            """
        ]
}
