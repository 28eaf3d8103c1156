// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Scheduling

/// What is done with a store as a whole, on a connection of its own: from any thread, beside a host.
extension SQLiteStore {
    /// Looks whether the database can be read as a whole. Takes half a second for a million
    /// requests in memory, and as long as reading it from the disk takes. Returns what is wrong, for
    /// people; empty: nothing.
    public static func quickCheck(directory: String) throws(StoreFault) -> [String] {
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        return try faults("PRAGMA quick_check(100)", SQLiteSchema.rowChecks, connection, place)
    }

    /// The same, and whether its indexes, references and counts fit what they are about.
    public static func integrityCheck(directory: String) throws(StoreFault) -> [String] {
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        return try faults(
            "PRAGMA integrity_check(100)",
            { SQLiteSchema.rowChecks(version: $0) + SQLiteSchema.checks(version: $0) }, connection,
            place)
    }

    /// Copies the store, as it is at one moment, into a new file, which its owner alone can read and
    /// which is on the disk on return.
    public static func backup(directory: String, to path: String) throws(StoreFault) {
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        let fd = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fd >= 0 else {
            throw OpenFile.fault(errno, "the backup \(path) cannot be made")
        }
        close(fd)
        do {
            let statement = try connection.prepare("VACUUM INTO ?1")
            statement.put(path)
            try statement.run()
            try makeReady(path)
            try OpenFile.sync(path, O_RDWR)
            try OpenFile.sync(OpenFile.parent(of: path), O_RDONLY | O_DIRECTORY)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// A copy by SQLite is a database that has no log, and so would be one of its kind for ever. The
    /// bytes 18 and 19 say what it has: 2 is a log (sqlite.org/fileformat2.html, "File format version
    /// numbers"). Asking SQLite for that would want memory shared between processes, which a disk for
    /// backups need not have.
    private static func makeReady(_ backup: String) throws(StoreFault) {
        guard let path = realpath(backup, nil) else {
            throw OpenFile.fault(errno, "the backup \(backup) cannot be opened")
        }
        defer { free(path) }
        try SQLiteConnection(String(cString: path), for: .writing).run(
            "DELETE FROM value WHERE name = '\(HighWaterMark.valueName)'")
        let fd = Glibc.open(backup, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else { throw OpenFile.fault(errno, "the backup \(backup) cannot be opened") }
        defer { close(fd) }
        let version: [UInt8] = [2, 2]
        guard pwrite(fd, version, version.count, 18) == version.count else {
            throw OpenFile.fault(errno, "the backup \(backup) cannot be written to")
        }
    }

    private static func looking(_ place: StoreDirectory) throws(StoreFault) -> SQLiteConnection {
        try SQLiteConnection(place.database, for: .looking)
    }

    /// What SQLite finds, or else what we do.
    private static func faults(
        _ pragma: String, _ checks: (_ version: Int) -> [String], _ connection: SQLiteConnection,
        _ place: StoreDirectory
    ) throws(StoreFault) -> [String] {
        var found = try texts(pragma, connection)
        guard found.isEmpty else { return found }
        let version = try version(of: connection)
        if version == 0 { throw place.isAbsent }
        for check in checks(version) { found += try texts(check, connection) }
        if version >= HighWaterMark.firstVersion {
            found += try faults { () throws(StoreFault) in
                try HighWaterMark.missing(place, connection).map { [$0] } ?? []
            }
        }
        if try !connection.hasLog {
            found.append(
                "the store writes changes into its own file instead of a log, and what is acknowledged could be lost with the power: the next host or command that opens it sets that right"
            )
        }
        return found
    }

    private static func texts(
        _ text: String, _ connection: SQLiteConnection
    ) throws(StoreFault) -> [String] {
        try faults { () throws(StoreFault) in
            try connection.texts(text).filter { $0 != "ok" }
        }
    }

    /// What makes no sense is what is looked for.
    private static func faults(
        _ look: () throws(StoreFault) -> [String]
    ) throws(StoreFault) -> [String] {
        do throws(StoreFault) {
            return try look()
        } catch {
            guard error.kind == .corrupt else { throw error }
            return [error.message]
        }
    }
}
