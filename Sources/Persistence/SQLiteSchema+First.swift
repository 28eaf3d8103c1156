// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// Numbers of 64 bits without a sign are kept by their bits.
    static let first = """
        PRAGMA application_id = \(application);

        CREATE TABLE request (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
            earliest INTEGER,
            latest INTEGER,
            needs INTEGER NOT NULL CHECK (needs BETWEEN 0 AND 255),
            priority INTEGER NOT NULL CHECK (priority BETWEEN -1 AND 1),
            on_pending INTEGER NOT NULL CHECK (on_pending BETWEEN 1 AND 3),
            key TEXT,
            retry_attempts INTEGER NOT NULL CHECK (retry_attempts >= 0),
            retry_base INTEGER NOT NULL,
            retry_longest INTEGER NOT NULL,
            retry_jitter REAL NOT NULL,
            rule INTEGER NOT NULL CHECK (rule BETWEEN 0 AND 3),
            every INTEGER CHECK ((every IS NOT NULL) = (rule = 1)),
            cron TEXT CHECK ((cron IS NOT NULL) = (rule IN (2, 3))),
            catch_up INTEGER CHECK ((catch_up BETWEEN 1 AND 3) OR (catch_up IS NULL AND rule = 0)),
            date_jitter INTEGER NOT NULL,
            payload_bytes INTEGER NOT NULL CHECK (payload_bytes >= 0),
            submitted_at INTEGER NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 7),
            marks INTEGER NOT NULL CHECK (marks BETWEEN 0 AND 255),
            not_before INTEGER NOT NULL,
            reason INTEGER NOT NULL CHECK (reason BETWEEN 1 AND 6),
            nominal INTEGER NOT NULL,
            attempts INTEGER NOT NULL CHECK (attempts >= 0),
            launches INTEGER NOT NULL CHECK (launches >= 0),
            crashes INTEGER NOT NULL CHECK (crashes >= 0),
            outcome INTEGER CHECK (outcome BETWEEN 1 AND 6),
            changed_at INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX request_queue ON request (identifier, kind, needs, priority, not_before)
            WHERE state = 1;
        CREATE INDEX request_live ON request (identifier) WHERE state <= 2;
        CREATE INDEX request_running ON request (state) WHERE state = 2;
        CREATE INDEX request_latest ON request (latest)
            WHERE state = 1 AND launches = 0 AND latest IS NOT NULL;
        CREATE INDEX request_key ON request (identifier, key) WHERE key IS NOT NULL;
        CREATE INDEX request_history ON request (changed_at) WHERE state >= 4;

        CREATE TABLE payload (
            request INTEGER PRIMARY KEY REFERENCES request (id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        ) STRICT;

        CREATE TABLE attempt (
            request INTEGER NOT NULL REFERENCES request (id) ON DELETE CASCADE,
            launch INTEGER NOT NULL,
            number INTEGER NOT NULL CHECK (number >= 0),
            boot TEXT NOT NULL,
            process INTEGER NOT NULL,
            start INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            outcome INTEGER CHECK (outcome BETWEEN 1 AND 6),
            reason INTEGER CHECK (reason BETWEEN 1 AND 5),
            error TEXT NOT NULL,
            PRIMARY KEY (request, launch)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            what INTEGER NOT NULL CHECK (what BETWEEN 1 AND 255),
            request INTEGER,
            identifier TEXT NOT NULL,
            launch INTEGER NOT NULL,
            detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX journal_request ON journal (request) WHERE request IS NOT NULL;

        CREATE TABLE value (
            name TEXT PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- How many requests of a kind are pending; of kind 0, how many are history.
        CREATE TABLE tally (
            kind INTEGER PRIMARY KEY,
            count INTEGER NOT NULL CHECK (count >= 0)
        ) STRICT;
        INSERT INTO tally VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0);

        CREATE TRIGGER request_came AFTER INSERT ON request
            WHEN NEW.state = 1 OR NEW.state >= 4 BEGIN
            UPDATE tally SET count = count + 1
                WHERE kind = CASE NEW.state WHEN 1 THEN NEW.kind ELSE 0 END;
        END;
        CREATE TRIGGER request_went AFTER DELETE ON request
            WHEN OLD.state = 1 OR OLD.state >= 4 BEGIN
            UPDATE tally SET count = count - 1
                WHERE kind = CASE OLD.state WHEN 1 THEN OLD.kind ELSE 0 END;
        END;
        CREATE TRIGGER request_began_to_wait AFTER UPDATE OF state ON request
            WHEN OLD.state <> 1 AND NEW.state = 1 BEGIN
            UPDATE tally SET count = count + 1 WHERE kind = NEW.kind;
        END;
        CREATE TRIGGER request_waited AFTER UPDATE OF state ON request
            WHEN OLD.state = 1 AND NEW.state <> 1 BEGIN
            UPDATE tally SET count = count - 1 WHERE kind = OLD.kind;
        END;
        CREATE TRIGGER request_became_history AFTER UPDATE OF state ON request
            WHEN OLD.state < 4 AND NEW.state >= 4 BEGIN
            UPDATE tally SET count = count + 1 WHERE kind = 0;
        END;
        CREATE TRIGGER request_left_history AFTER UPDATE OF state ON request
            WHEN OLD.state >= 4 AND NEW.state < 4 BEGIN
            UPDATE tally SET count = count - 1 WHERE kind = 0;
        END;
        """

    static let firstChecks = [
        """
        SELECT 'a row of ' || "table" || ' belongs to a request that is not there'
            FROM pragma_foreign_key_check
        """,
        """
        SELECT 'the count of kind ' || kind || ' is ' || count || ', and there are ' || found
            FROM (SELECT kind, count, (SELECT count(*) FROM request WHERE CASE tally.kind
                WHEN 0 THEN state >= 4 ELSE state = 1 AND kind = tally.kind END) AS found
                FROM tally)
            WHERE count <> found
        """,
    ]
}
