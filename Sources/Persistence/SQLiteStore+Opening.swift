// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// How a store's database is found to be one, made where there is none, and set up so that what is
/// acknowledged survives the machine.
extension SQLiteStore {
    /// Opens the database, and leaves it as it is where it is not one of ours. With `isLogDoubted` an
    /// error has said that what was written last may not be on the disk.
    static func connect(
        _ place: StoreDirectory, creating: Bool, isHost: Bool, isLogDoubted: Bool = false
    ) throws(StoreFault) -> (SQLiteConnection, HighWaterMark) {
        let isNew = try place.prepareDatabase(creating: creating)
        // A log that nobody uses was left by a process that did not close it, and whether that had
        // seen an error of the disk, nobody can tell.
        let isAlone = isHost ? true : try host(of: place.path) == nil
        let isDoubted = isLogDoubted || (isAlone && OpenFile.size(of: place.journal) > 0)
        // Before SQLite looks into it.
        if isDoubted { OpenFile.forgetCache(of: place.journal, isLocked: false) }
        let connection = try SQLiteConnection(place.database, for: .writing)
        if isDoubted { OpenFile.forgetCache(of: place.database, isLocked: true) }
        let version = try version(of: connection, mayBeEmpty: creating || isNew)
        let hasLog = try connection.hasLog
        if version < SQLiteSchema.version || !hasLog {
            // Not under a host that knows the tables as they were.
            let held = isHost ? nil : try StoreLock(place, by: .current())
            defer { withExtendedLifetime(held) {} }
            if version == 0 { try place.checkNeverUsed() }
            try migrate(connection, place, isNew: version == 0)
        }
        try HighWaterMark.check(place, connection)
        try connection.settle()
        if isDoubted, try !connection.beginLogAnew(), isLogDoubted {
            throw StoreFault(
                .busy,
                "the store \(place.path): another process reads it, and after an error of its disk its log has to be begun anew; nothing was changed: try again"
            )
        }
        return (connection, try HighWaterMark(place, connection))
    }

    /// The version of the tables; 0: there are none. Changes nothing.
    private static func version(
        of connection: SQLiteConnection, mayBeEmpty: Bool
    ) throws(StoreFault) -> Int {
        let version = try connection.number("PRAGMA user_version")
        let application = try connection.number("PRAGMA application_id")
        if application == 0, version == 0, mayBeEmpty,
            try connection.number("SELECT count(*) FROM sqlite_schema") == 0
        {
            return 0
        }
        guard application == SQLiteSchema.application, version > 0 else {
            throw StoreFault(
                .corrupt,
                "\(connection.path) is not a store of Curfew; nothing was changed: run `curfew db check`, or use another directory"
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
        guard try connection.useLog() else {
            throw StoreFault(
                .denied,
                "\(place.path) is on a disk that cannot have memory shared between processes, which a store needs: use another one"
            )
        }
        while true {
            try connection.run("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
            do {
                // Somebody else may have been faster.
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
}
