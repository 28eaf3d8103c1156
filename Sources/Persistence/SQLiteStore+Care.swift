// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
package import Scheduling

/// Maintains a store as a whole, on a connection of its own: from any thread, while a host runs.
extension SQLiteStore {
    /// Looks whether the database can be read as a whole. Takes half a second for a million
    /// requests in memory, and as long as reading it from the disk takes. Returns what is wrong, for
    /// people; empty: nothing.
    package static func quickCheck(directory: String) throws(StoreFault) -> [String] {
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        return try faults("PRAGMA quick_check(100)", SQLiteSchema.rowChecks, connection, place)
    }

    /// Checks the store, and also compares its indexes, references and counts with its tables.
    package static func integrityCheck(directory: String) throws(StoreFault) -> [String] {
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        return try faults(
            "PRAGMA integrity_check(100)",
            { SQLiteSchema.rowChecks(version: $0) + SQLiteSchema.checks(version: $0) }, connection,
            place)
    }

    /// Copies the state of the store at one moment to a new file, which only its owner can read,
    /// and which is on the disk on return. Throws, and leaves no file, if the copy is incomplete.
    package static func backup(directory: String, to path: String) throws(StoreFault) {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let place = try StoreDirectory(directory, creating: false)
        _ = try place.prepareDatabase(creating: false)
        let connection = try looking(place)
        // A copy of what is left of a store would pass for the whole of it.
        if try versionInUse(of: connection, place) >= HighWaterMark.firstVersion {
            try HighWaterMark.check(place, connection)
        }
        let fd = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fd >= 0 else {
            throw OpenFile.fault(
                errno, "the backup \(path) cannot be made",
                errno == ENOENT ? "make the directory that it is to be in first" : "")
        }
        // The umask may have taken rights from its owner.
        fchmod(fd, 0o600)
        close(fd)
        do throws(StoreFault) {
            let file = try realPath(path)
            let made = OpenFile.identity(of: file)
            let statement = try connection.prepare("VACUUM INTO ?1")
            statement.put(file)
            try statement.run()
            guard made == OpenFile.identity(of: file) else { throw notWhole(path, "was replaced") }
            try check(backup: file, of: connection, path)
            try makeReady(file)
            try OpenFile.sync(file, O_RDWR)
            try OpenFile.sync(OpenFile.parent(of: file), O_RDONLY | O_DIRECTORY)
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

    /// SQLite takes `:memory:` and `file:` at a name's beginning for something else than a path; an
    /// absolute path is always one.
    private static func realPath(_ path: String) throws(StoreFault) -> String {
        guard let real = realpath(path, nil) else {
            throw OpenFile.fault(errno, "the backup \(path) cannot be opened")
        }
        defer { free(real) }
        guard let file = String(validatingCString: real) else {
            throw StoreFault(
                .denied, "the backup \(path) is below a directory whose name is not UTF-8")
        }
        return file
    }

    /// Looks at a backup as who takes it back will find it.
    private static func check(
        backup file: String, of connection: SQLiteConnection, _ path: String
    ) throws(StoreFault) {
        var facts = stat()
        guard lstat(file, &facts) == 0, facts.st_mode & (S_IFMT | 0o077) == S_IFREG else {
            throw notWhole(path, "can be read by others")
        }
        let copy = try SQLiteConnection(file, for: .looking)
        let bytes = try copy.number("PRAGMA page_count") * copy.number("PRAGMA page_size")
        guard bytes > 0, bytes == facts.st_size else { throw notWhole(path, "is cut") }
        for name in ["user_version", "application_id"] {
            guard try copy.number("PRAGMA \(name)") == connection.number("PRAGMA \(name)") else {
                throw notWhole(path, "is no copy of the store")
            }
        }
    }

    private static func notWhole(_ path: String, _ what: String) -> StoreFault {
        StoreFault(
            .io, "the backup \(path) \(what), and was removed; nothing else was changed: try again")
    }

    private static func looking(_ place: StoreDirectory) throws(StoreFault) -> SQLiteConnection {
        try SQLiteConnection(place.database, for: .looking)
    }

    /// Returns SQLite's findings, or else those of our own checks.
    private static func faults(
        _ pragma: String, _ checks: (_ version: Int) -> [String], _ connection: SQLiteConnection,
        _ place: StoreDirectory
    ) throws(StoreFault) -> [String] {
        var found = try texts(pragma, connection)
        guard found.isEmpty else { return found }
        let version = try versionInUse(of: connection, place)
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
        let transaction = SQLiteTransaction(connection)
        try transaction.begin(writing: false)
        defer { transaction.rollBack() }
        found += try faults { () throws(StoreFault) in try KeptValue.faults(in: transaction) }
        return found
    }

    /// The version of the tables. Throws where there are none: they were lost, or are not made yet.
    private static func versionInUse(
        of connection: SQLiteConnection, _ place: StoreDirectory
    ) throws(StoreFault) -> Int {
        // First, because another process may be making them in this moment.
        let lost = place.lostTables
        let version = try version(of: connection)
        if version == 0 { throw lost ?? place.isAbsent }
        return version
    }

    private static func texts(
        _ text: String, _ connection: SQLiteConnection
    ) throws(StoreFault) -> [String] {
        try faults { () throws(StoreFault) in
            try connection.texts(text).filter { $0 != "ok" }
        }
    }

    /// A damaged value is a finding here, not an error.
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
