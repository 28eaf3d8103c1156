// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
public import Scheduling

/// A store in a directory of its own, which survives its process and the machine: a database, in it
/// all that was acknowledged, and beside it a lock for one host and a file that wakes that host.
///
/// One thread uses it at a time. Several processes may have it open, one of them as its host.
public final class SQLiteStore: RequestStore {
    /// What for a store is opened.
    public enum Role: Hashable, Sendable {
        /// To launch what is in it, for as long as the store is open. There is one host at most; the
        /// directory is made where there is none.
        case host(HostIdentity)
        /// To look, submit and cancel, beside a host or without one. With `creates` the directory is
        /// made where there is none.
        case client(creates: Bool)
    }

    /// Its directory, without links.
    public var directory: String { place.path }

    private let place: StoreDirectory
    private let lock: StoreLock?
    private let process: Int32
    /// Nil: the last connection was not to be trusted, and another could not be opened yet.
    private(set) var transaction: SQLiteTransaction?
    /// The files that were opened, in case others are put in their place.
    private let database: OpenFile.Identity?
    private var journal: OpenFile.Identity?

    /// Opens a store.
    ///
    /// Throws `.absent` where it is not there; `.denied` where it is not this user's, or not safe;
    /// `.locked` where it has a host already; `.newer`, `.corrupt` and `.gone` where its database
    /// cannot be used, which is then left as it is.
    public static func open(
        directory: String, as role: Role
    ) throws(StoreFault) -> SQLiteStore {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        return try SQLiteStore(directory, role)
    }

    private init(_ directory: String, _ role: Role) throws(StoreFault) {
        process = getpid()
        let connection: SQLiteConnection
        switch role {
        case .host(let host):
            place = try StoreDirectory(directory, creating: true)
            lock = try StoreLock(place, by: host)
            connection = try Self.connect(place, creating: true, lock: lock)
        case .client(let creates):
            place = try StoreDirectory(directory, creating: creates)
            lock = nil
            connection = try Self.connect(place, creating: creates, lock: nil)
        }
        transaction = SQLiteTransaction(connection)
        database = OpenFile.identity(of: place.database)
        // Without it, nobody would notice that the file is replaced.
        guard database != nil else {
            throw OpenFile.fault(errno, "\(place.database) cannot be looked at")
        }
        journal = OpenFile.identity(of: place.journal)
    }

    deinit {
        // What a child has of its parent's connection is not to be closed: SQLite would tidy up.
        if process != getpid(), let transaction { _ = Unmanaged.passRetained(transaction) }
    }

    // MARK: Opening

    private static func connect(
        _ place: StoreDirectory, creating: Bool, lock: StoreLock?
    ) throws(StoreFault) -> SQLiteConnection {
        let isNew = try place.prepareDatabase(creating: creating)
        let connection = try SQLiteConnection(place.database, for: .writing)
        let version = try version(of: connection, mayBeEmpty: creating || isNew)
        if version < SQLiteSchema.version {
            // Not under a host that knows the tables as they were.
            let held = lock == nil ? try StoreLock(place, by: .current()) : nil
            defer { withExtendedLifetime(held) {} }
            try migrate(connection, place, isNew: version == 0)
        }
        try connection.settle()
        return connection
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
        guard try connection.texts("PRAGMA journal_mode = WAL") == ["wal"] else {
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

    // MARK: Transactions

    public func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let transaction = try usable()
        try transaction.begin(writing: true)
        do {
            let result = try body(transaction)
            try transaction.commit()
            // Acknowledged is what is in the file that others find.
            try checkFiles()
            return result
        } catch {
            transaction.rollBack()
            throw error
        }
    }

    public func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        // Where the log's index is made anew, a look writes, too.
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let transaction = try usable()
        try transaction.begin(writing: false)
        defer { transaction.rollBack() }
        return try body(transaction)
    }

    private func checkProcess() throws(StoreFault) {
        guard process == getpid() else {
            throw StoreFault(
                .denied,
                "the store \(place.path) was opened before fork(2), and a child cannot use its parent's: open it in the child"
            )
        }
    }

    private func checkFiles() throws(StoreFault) {
        guard OpenFile.identity(of: place.database) == database else {
            throw gone(place.database)
        }
        if let journal, OpenFile.identity(of: place.journal) != journal {
            throw gone(place.journal)
        }
    }

    private func gone(_ file: String) -> StoreFault {
        StoreFault(
            .gone,
            "\(file) was deleted or replaced while it was used; nothing more is written: stop the host, put the file back, and start again"
        )
    }

    /// After an error of the system's, what SQLite has in memory is dropped, and the files are read
    /// again.
    private func usable() throws(StoreFault) -> SQLiteTransaction {
        try checkProcess()
        try checkFiles()
        if let transaction, transaction.connection.isTrusted { return transaction }
        transaction?.connection.keepLog()
        transaction = nil
        let next = SQLiteTransaction(try Self.connect(place, creating: false, lock: lock))
        transaction = next
        journal = OpenFile.identity(of: place.journal)
        return next
    }

    // MARK: Others

    /// A number that changes when another process has changed the store.
    public func dataVersion() throws(StoreFault) -> Int64 {
        let statement = try usable().connection.statement(.dataVersion)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Tells the host of the store in `directory`, if there is one, to look into it: it watches the
    /// times of a file.
    public static func touchWake(directory: String) throws(StoreFault) {
        let place = try StoreDirectory(directory, creating: false)
        let fd = Glibc.open(
            place.wake, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard fd >= 0 else { throw OpenFile.fault(errno, "\(place.wake) cannot be written to") }
        defer { close(fd) }
        let code = csys_touch(fd)
        if code != 0 { throw OpenFile.fault(code, "\(place.wake) cannot be written to") }
    }
}
