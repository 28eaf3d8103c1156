// SPDX-License-Identifier: Apache-2.0

/// Version 3: a commit writes fewer pages.
///
/// The counters are with the journal's last entry, which nearly every transaction adds anyway. All
/// that is live is in one index, by its state, so that a launch changes one instead of two.
extension SQLiteSchema {
    /// From version 2. The table of counters is renamed, so that SQLite refuses a client that
    /// opened the store before, which would otherwise write a table that is no longer read.
    static let third = """
        DROP INDEX request_queue;
        DROP INDEX request_running;
        CREATE INDEX request_live ON request
            (state, identifier, kind, needs, priority, not_before) WHERE state <= 3;

        -- Null but for the last entry of each transaction.
        ALTER TABLE journal ADD COLUMN last_request INTEGER;
        ALTER TABLE journal ADD COLUMN last_filed INTEGER;
        ALTER TABLE journal ADD COLUMN app_refresh INTEGER;
        ALTER TABLE journal ADD COLUMN processing INTEGER;
        ALTER TABLE journal ADD COLUMN health_research INTEGER;
        ALTER TABLE journal ADD COLUMN continued_processing INTEGER;
        ALTER TABLE journal ADD COLUMN history INTEGER;

        -- The one row counts while the journal has no entry.
        ALTER TABLE counter RENAME TO counters;
        UPDATE journal SET (\(StoreCounters.all)) = (SELECT \(StoreCounters.all) FROM counters)
            WHERE sequence = (SELECT max(sequence) FROM journal);
        """

    /// For a store that is new.
    static let fresh = secondFresh + third + pauses + fifth + schedules + owners + rollups

    /// The current counters.
    private static let countersNow = """
        SELECT sequence AS last_entry, \(StoreCounters.all) FROM journal
            WHERE sequence = (SELECT max(sequence) FROM journal)
        UNION ALL SELECT last_entry, \(StoreCounters.all) FROM counters
            WHERE NOT EXISTS (SELECT 1 FROM journal)
        """

    /// Whether rows fit to each other.
    static let thirdChecks = [
        referenceCheck,
        """
        WITH counter AS (\(countersNow)) SELECT
            'the counter ' || name || ' is ' || coalesce(count, 'lost') || ', and should be ' || found
            FROM (\(countedAndFound)
            UNION ALL SELECT 'last_entry', last_entry,
                (SELECT max(last_entry, coalesce(max(sequence), 0)) FROM journal) FROM counter
            ) WHERE count IS NOT found
        """,
        """
        WITH counter AS (\(countersNow))
        SELECT 'entry ' || journal.sequence || ' of the journal is not filed under its request'
            FROM journal, counter
            WHERE request IS NOT NULL AND sequence <= counter.last_filed
                AND (request, sequence) NOT IN (SELECT request, sequence FROM filed) LIMIT 100
        """,
    ]
}
