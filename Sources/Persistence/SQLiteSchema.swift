// SPDX-License-Identifier: Apache-2.0

/// The tables, and how older ones become those of today.
enum SQLiteSchema {
    /// "Crfw": in the header of each database of ours, so that no other is taken for one.
    static let application: Int64 = 0x4372_6677

    /// The migrations, of which a database of version N lacks those from N on. Each is one
    /// transaction, and never changes after its release.
    static let migrations = [first, second, third, pauses, fifth, schedules, owners, rollups]
    /// The page size of a new store. A commit writes whole pages, most of which change in few
    /// bytes.
    static let pageSize = 2_048
    static var version: Int { migrations.count }

    /// Checks that SQLite does not make, for a version of the store: queries whose rows describe
    /// invalid rows…
    static func rowChecks(version: Int) -> [String] {
        switch version {
        case ...1: []
        case 2...4: secondRowChecks
        case 5: fifthRowChecks
        case 6: fifthRowChecks + scheduleRowChecks
        case 7: fifthRowChecks + scheduleRowChecks + ownerRowChecks
        default: fifthRowChecks + scheduleRowChecks + ownerRowChecks + rollupRowChecks
        }
    }

    /// …and with what they say of each other.
    static func checks(version: Int) -> [String] {
        switch version {
        case ...1: firstChecks
        case 2: secondChecks
        default: thirdChecks
        }
    }
}

/// Version 4: pauses are kept as they are measured.
///
/// A request that waits for a span has, besides its date, what that was computed from, so that a clock
/// that is set changes nothing about it. Null but for such requests.
extension SQLiteSchema {
    /// From version 3.
    static let pauses = """
        ALTER TABLE request ADD COLUMN pause_boot TEXT;
        ALTER TABLE request ADD COLUMN pause_begun INTEGER;
        ALTER TABLE request ADD COLUMN pause_length INTEGER;
        """
}

/// Version 6: the schedules of the host's configuration.
extension SQLiteSchema {
    /// From version 5. A schedule may name a request that the history does not keep any more.
    static let schedules = """
        CREATE TABLE schedule (
            name TEXT PRIMARY KEY,
            digest TEXT NOT NULL,
            request INTEGER,
            source TEXT NOT NULL,
            changed_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    static let scheduleRowChecks = [
        """
        SELECT 'schedule ' || name || ' makes no sense' FROM schedule
            WHERE NOT (name <> '' AND coalesce(request, 1) >= 1) LIMIT 100
        """
    ]
}
