// SPDX-License-Identifier: Apache-2.0

/// Version 2: what is written with each request is on few pages, and by plain statements.
///
/// A small payload is in its request's row. Numbers and counts are in one row, which a transaction
/// writes once, so that no statement runs triggers or updates internal tables. The journal is indexed by
/// request many entries at a time. The reader checks the values of a row (`RowReader`), and
/// `secondRowChecks` checks all of them, instead of each write.
extension SQLiteSchema {
    /// From version 1: all rows go over into tables of today, with the old ones' numbers.
    static let second = """
        DROP TRIGGER request_came;
        DROP TRIGGER request_went;
        DROP TRIGGER request_began_to_wait;
        DROP TRIGGER request_waited;
        DROP TRIGGER request_became_history;
        DROP TRIGGER request_left_history;
        DROP INDEX request_queue;
        DROP INDEX request_live;
        DROP INDEX request_running;
        DROP INDEX request_latest;
        DROP INDEX request_key;
        DROP INDEX request_history;
        DROP INDEX journal_request;
        DROP TABLE tally;
        ALTER TABLE request RENAME TO request_1;
        ALTER TABLE payload RENAME TO payload_1;
        ALTER TABLE attempt RENAME TO attempt_1;
        ALTER TABLE journal RENAME TO journal_1;

        \(secondTables)

        INSERT INTO request
            SELECT request_1.*, CASE WHEN length(bytes) <= \(RequestRow.inlinePayload) THEN bytes END
            FROM request_1 LEFT JOIN payload_1 ON request = id ORDER BY id;
        INSERT INTO payload
            SELECT * FROM payload_1 WHERE length(bytes) > \(RequestRow.inlinePayload) ORDER BY request;
        INSERT INTO attempt SELECT * FROM attempt_1 ORDER BY request, launch;
        INSERT INTO journal SELECT * FROM journal_1 ORDER BY sequence;
        INSERT INTO filed
            SELECT request, sequence FROM journal WHERE request IS NOT NULL ORDER BY 1, 2;
        INSERT INTO counter SELECT 1, request.last, journal.last, journal.last,
            count(*) FILTER (WHERE state = 1 AND kind = 1),
            count(*) FILTER (WHERE state = 1 AND kind = 2),
            count(*) FILTER (WHERE state = 1 AND kind = 3),
            count(*) FILTER (WHERE state = 1 AND kind = 4),
            count(*) FILTER (WHERE state >= 4)
            FROM (SELECT max(
                    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'request_1'), 0),
                    coalesce((SELECT max(id) FROM request), 0)) AS last) AS request,
                (SELECT max(
                    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal_1'), 0),
                    coalesce((SELECT max(sequence) FROM journal), 0)) AS last) AS journal
                LEFT JOIN request_1;

        DROP TABLE payload_1;
        DROP TABLE attempt_1;
        DROP TABLE journal_1;
        DROP TABLE request_1;

        \(secondIndexes)
        """

    /// For a store that is new; what version 3 makes of it comes after that.
    static let secondFresh = """
        PRAGMA application_id = \(application);

        CREATE TABLE value (
            name TEXT PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        \(secondTables)

        INSERT INTO counter VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0);

        \(secondIndexes)

        """

    /// `payload_size` was `payload_bytes`: a client that has had the store open since before is
    /// refused by SQLite, instead of writing what is not counted.
    private static let secondTables = """
        CREATE TABLE request (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL,
            kind INTEGER NOT NULL,
            earliest INTEGER,
            latest INTEGER,
            needs INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            on_pending INTEGER NOT NULL,
            key TEXT,
            retry_attempts INTEGER NOT NULL,
            retry_base INTEGER NOT NULL,
            retry_longest INTEGER NOT NULL,
            retry_jitter REAL NOT NULL,
            rule INTEGER NOT NULL,
            every INTEGER,
            cron TEXT,
            catch_up INTEGER,
            date_jitter INTEGER NOT NULL,
            payload_size INTEGER NOT NULL,
            submitted_at INTEGER NOT NULL,
            state INTEGER NOT NULL,
            marks INTEGER NOT NULL,
            not_before INTEGER NOT NULL,
            reason INTEGER NOT NULL,
            nominal INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            launches INTEGER NOT NULL,
            crashes INTEGER NOT NULL,
            outcome INTEGER,
            changed_at INTEGER NOT NULL,
            payload BLOB
        ) STRICT;

        -- Payloads that are too long for a row.
        CREATE TABLE payload (
            request INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT;

        CREATE TABLE attempt (
            request INTEGER NOT NULL,
            launch INTEGER NOT NULL,
            number INTEGER NOT NULL,
            boot TEXT NOT NULL,
            process INTEGER NOT NULL,
            start INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            outcome INTEGER,
            reason INTEGER,
            error TEXT NOT NULL,
            PRIMARY KEY (request, launch)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            what INTEGER NOT NULL,
            request INTEGER,
            identifier TEXT NOT NULL,
            launch INTEGER NOT NULL,
            detail TEXT NOT NULL
        ) STRICT;

        -- The journal's entries by request, up to the one that was filed last.
        CREATE TABLE filed (
            request INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (request, sequence)
        ) STRICT, WITHOUT ROWID;

        -- The last numbers that were given, and how many requests of a kind are pending and how many
        -- are history.
        CREATE TABLE counter (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            last_request INTEGER NOT NULL,
            last_entry INTEGER NOT NULL,
            last_filed INTEGER NOT NULL,
            app_refresh INTEGER NOT NULL CHECK (app_refresh >= 0),
            processing INTEGER NOT NULL CHECK (processing >= 0),
            health_research INTEGER NOT NULL CHECK (health_research >= 0),
            continued_processing INTEGER NOT NULL CHECK (continued_processing >= 0),
            history INTEGER NOT NULL CHECK (history >= 0)
        ) STRICT;
        """

    private static let secondIndexes = """
        CREATE INDEX request_queue ON request (identifier, kind, needs, priority, not_before)
            WHERE state = 1;
        CREATE INDEX request_running ON request (identifier) WHERE state = 2;
        CREATE INDEX request_latest ON request (latest)
            WHERE state = 1 AND launches = 0 AND latest IS NOT NULL;
        CREATE INDEX request_key ON request (identifier, key) WHERE key IS NOT NULL;
        CREATE INDEX request_history ON request (changed_at) WHERE state >= 4;
        """

    /// Whether each row makes sense.
    static let secondRowChecks = [
        """
        SELECT 'row ' || id || ' of table request makes no sense' FROM request WHERE NOT (
            kind BETWEEN 1 AND 4 AND needs BETWEEN 0 AND 255 AND priority BETWEEN -1 AND 1
            AND on_pending BETWEEN 1 AND 3 AND retry_attempts >= 0 AND rule BETWEEN 0 AND 3
            AND (every IS NOT NULL) = (rule = 1) AND (cron IS NOT NULL) = (rule IN (2, 3))
            AND coalesce(catch_up BETWEEN 1 AND 3, rule = 0) AND payload_size >= 0
            AND state BETWEEN 1 AND 7 AND marks BETWEEN 0 AND 255 AND reason BETWEEN 1 AND 7
            AND attempts >= 0 AND launches >= 0 AND crashes >= 0
            AND coalesce(outcome BETWEEN 1 AND 7, 1)) LIMIT 100
        """,
        """
        SELECT 'row ' || request || ' of table attempt makes no sense' FROM attempt WHERE NOT (
            number >= 0 AND coalesce(outcome BETWEEN 1 AND 7, 1)
            AND coalesce(reason BETWEEN 1 AND 5, 1)) LIMIT 100
        """,
        """
        SELECT 'row ' || sequence || ' of table journal makes no sense' FROM journal
            WHERE what NOT BETWEEN 1 AND 255 LIMIT 100
        """,
    ]

    /// Whether rows fit to each other.
    static let secondChecks = [
        referenceCheck,
        """
        SELECT 'the counter ' || name || ' is ' || count || ', and should be ' || found
            FROM (\(countedAndFound)
            UNION ALL SELECT 'last_entry', last_entry,
                (SELECT max(last_entry, coalesce(max(sequence), 0)) FROM journal) FROM counter
            UNION ALL SELECT 'rows', (SELECT count(*) FROM counter), 1
            ) WHERE count <> found
        """,
        """
        SELECT 'entry ' || sequence || ' of the journal is not filed under its request'
            FROM journal, counter
            WHERE request IS NOT NULL AND sequence <= last_filed
                AND (request, sequence) NOT IN (SELECT request, sequence FROM filed) LIMIT 100
        """,
    ]

    static let referenceCheck = """
        SELECT 'a row of payload belongs to a request that is not there' FROM payload
            WHERE request NOT IN (SELECT id FROM request)
        UNION ALL
        SELECT 'a row of attempt belongs to a request that is not there' FROM attempt
            WHERE request NOT IN (SELECT id FROM request) LIMIT 100
        """

    /// Names of columns of the one row of `counter`, what they are, and what they should be.
    static let countedAndFound = """
        SELECT 'app_refresh' AS name, app_refresh AS count,
            (SELECT count(*) FROM request WHERE state = 1 AND kind = 1) AS found FROM counter
        UNION ALL SELECT 'processing', processing,
            (SELECT count(*) FROM request WHERE state = 1 AND kind = 2) FROM counter
        UNION ALL SELECT 'health_research', health_research,
            (SELECT count(*) FROM request WHERE state = 1 AND kind = 3) FROM counter
        UNION ALL SELECT 'continued_processing', continued_processing,
            (SELECT count(*) FROM request WHERE state = 1 AND kind = 4) FROM counter
        UNION ALL SELECT 'history', history,
            (SELECT count(*) FROM request WHERE state >= 4) FROM counter
        UNION ALL SELECT 'last_request', last_request,
            (SELECT max(last_request, coalesce(max(id), 0)) FROM request) FROM counter
        """
}
