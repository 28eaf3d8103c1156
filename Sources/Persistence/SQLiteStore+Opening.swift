// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
import Scheduling

/// Opens a store's database: checks that it is one, creates it, and configures it so that
/// acknowledged requests survive a power loss.
extension SQLiteStore {
    /// Opens the database, and leaves it unchanged if it is not one of Curfew. With `isLogDoubted`
    /// an error has shown that the last writes may not be on the disk.
    static func connect(
        _ place: StoreDirectory, creating: Bool, isHost: Bool, isLogDoubted: Bool = false
    ) throws(StoreFault) -> (SQLiteConnection, HighWaterMark) {
        let isNew = try place.prepareDatabase(creating: creating)
        let isAlone = isHost ? true : try host(of: place.path) == nil
        let hasLog = OpenFile.size(of: place.journal) > 0
        // A log without a user was left by a process that did not close it. It is unknown whether
        // that process had seen a disk error.
        let isDoubted = isLogDoubted || (isAlone && hasLog)
        // Do this before SQLite reads the log; also while a host runs, which learns of a command's
        // disk error only at its own next write.
        if isDoubted || hasLog { OpenFile.forgetCache(of: place.journal, isLocked: false) }
        let connection = try SQLiteConnection(place.database, for: .writing)
        if isDoubted { OpenFile.forgetCache(of: place.database, isLocked: true) }
        if try !isReady(connection) {
            try makeReady(connection, place, creating: creating || isNew, isHost: isHost)
        }
        try HighWaterMark.check(place, connection)
        try connection.settle()
        if isDoubted, try !connection.beginLogAnew(), isLogDoubted {
            throw StoreFault(
                .busy,
                "the store \(place.path): another process reads it, and after an error of its disk its log has to be restarted; nothing was changed: try again"
            )
        }
        return (connection, try HighWaterMark(place, connection))
    }

    /// Its tables are those of today, and its changes go into a log.
    private static func isReady(_ connection: SQLiteConnection) throws(StoreFault) -> Bool {
        let version = try version(of: connection)
        return version == SQLiteSchema.version ? try connection.hasLog : false
    }

    /// Creates or migrates the tables: as the host of the store, or as a client while there is
    /// none. One process does it; the others wait for it.
    private static func makeReady(
        _ connection: SQLiteConnection, _ place: StoreDirectory, creating: Bool, isHost: Bool
    ) throws(StoreFault) {
        let turn = isHost ? nil : try turn(connection, place)
        defer { withExtendedLifetime(turn) {} }
        let version = try version(of: connection)
        if version == 0 {
            try place.checkNeverUsed()
            guard creating else { throw place.isAbsent }
        } else if version >= HighWaterMark.firstVersion {
            // Before anything is written behind what is left of a log.
            try HighWaterMark.check(place, connection)
        }
        try migrate(connection, place, isNew: version == 0)
        // The directory is made by one process, and used by another before that has brought it to the
        // disk.
        if version == 0 { try place.syncParents() }
    }

    /// Waits until this process may change the tables. Nil: another one has done it.
    private static func turn(
        _ connection: SQLiteConnection, _ place: StoreDirectory
    ) throws(StoreFault) -> DirectoryLock? {
        let (deadline, short) = (RetryDeadline(seconds: 60), RetryDeadline(seconds: 2))
        while true {
            if let lock = try DirectoryLock(place) {
                // A host of an earlier version knows the tables as they were.
                if try host(of: place.path) != nil { throw StoreLock.taken(place) }
                return lock
            }
            if try isReady(connection) { return nil }
            // A host makes them when it begins, or knows no others.
            if try DirectoryLock.hasHost(place), !short.waits() { throw StoreLock.taken(place) }
            guard deadline.waits() else { throw place.isBeingMade }
        }
    }

    /// The version of the tables; 0: there are none. Changes nothing.
    static func version(of connection: SQLiteConnection) throws(StoreFault) -> Int {
        // Query both in one statement: another process may be creating the tables.
        let header = try connection.prepare(
            """
            SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
                FROM pragma_user_version, pragma_application_id
            """)
        guard try header.step() else { return 0 }
        let (version, application) = (header.integer(0), header.integer(1))
        if application == 0, version == 0, header.integer(2) == 0 { return 0 }
        guard application == SQLiteSchema.application, version > 0 else {
            throw StoreFault(
                .corrupt,
                "\(connection.path) is not a store of Curfew: another program has made it, or its first page is damaged; nothing was changed: use another directory, or restore a backup"
            )
        }
        guard version <= SQLiteSchema.version else {
            throw StoreFault(
                .newer,
                "\(connection.path) is a store of version \(version), and this Curfew knows versions up to \(SQLiteSchema.version); nothing was changed: use the newer Curfew"
            )
        }
        return Int(version)
    }

    private static func migrate(
        _ connection: SQLiteConnection, _ place: StoreDirectory, isNew: Bool
    ) throws(StoreFault) {
        if isNew { try connection.run("PRAGMA page_size = \(SQLiteSchema.pageSize)") }
        guard try useLog(connection) else {
            throw StoreFault(
                .denied,
                "\(place.path) is on a disk that cannot have memory shared between processes, which a store needs: use another one"
            )
        }
        while true {
            try connection.run("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
            do {
                // Another process may have migrated it meanwhile.
                let version = Int(try connection.number("PRAGMA user_version"))
                guard version < SQLiteSchema.version else {
                    try connection.run("ROLLBACK")
                    return
                }
                let isEmpty = version == 0
                try connection.run(
                    isEmpty ? SQLiteSchema.fresh : SQLiteSchema.migrations[version])
                let next = isEmpty ? SQLiteSchema.version : version + 1
                try connection.run("PRAGMA user_version = \(next); COMMIT")
            } catch {
                if connection.isInTransaction { try? connection.run("ROLLBACK") }
                throw error
            }
        }
    }

    /// SQLite does not wait for others who look into a database in that moment.
    private static func useLog(_ connection: SQLiteConnection) throws(StoreFault) -> Bool {
        let deadline = RetryDeadline(seconds: 2)
        while true {
            do throws(StoreFault) {
                return try connection.useLog()
            } catch {
                guard error.kind == .busy, deadline.waits() else { throw error }
            }
        }
    }
}

/// A time limit for retries while another process holds a lock.
struct RetryDeadline {
    private let end: UInt64

    init(seconds: UInt64) { end = csys_monotonic_ns() &+ seconds &* 1_000_000_000 }

    /// Pauses before the next try. Returns false once the limit is over.
    func waits() -> Bool {
        guard csys_monotonic_ns() < end else { return false }
        usleep(2_000)
        return true
    }
}
