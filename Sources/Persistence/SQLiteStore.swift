// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
package import Scheduling

/// A store in a directory, which survives its process and the machine: a database with all
/// acknowledged requests, a lock for one host, and a file that wakes that host.
///
/// A store is used by one thread at a time. Several processes may open it, one of them as its host.
package final class SQLiteStore: RequestStore {
    /// How the store is opened.
    package enum Role: Hashable, Sendable {
        /// To launch what is in it, for as long as the store is open. There is one host at most; the
        /// directory is made where there is none.
        case host(HostIdentity)
        /// To look, submit and cancel, beside a host or without one. With `creates` the directory is
        /// made where there is none.
        case client(creates: Bool)
    }

    /// Its directory, without links.
    package var directory: String { place.path }

    let place: StoreDirectory
    private let lock: StoreLock?
    private let process: Int32
    /// The transaction; nil if the last connection became untrusted, and no new one could be opened
    /// yet.
    private(set) var transaction: SQLiteTransaction?
    private var mark: HighWaterMark
    /// The files that were opened, in case others are put in their place.
    private let database: OpenFile.Identity?
    private var journal: OpenFile.Identity?

    /// Opens a store.
    ///
    /// Throws `.absent` if it does not exist; `.denied` if this user may not use it, or if it is
    /// not safe; `.locked` if it has a host; `.newer`, `.corrupt` and `.gone` if its database
    /// cannot be used, which is then left unchanged.
    package static func open(
        directory: String, as role: Role
    ) throws(StoreFault) -> SQLiteStore {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        return try SQLiteStore(directory, role)
    }

    /// There is something in the directory that only a store which was used leaves behind.
    package static func wasUsed(directory: String) -> Bool {
        guard let place = try? StoreDirectory(directory, creating: false) else { return false }
        return place.trace != nil
    }

    private init(_ directory: String, _ role: Role) throws(StoreFault) {
        process = getpid()
        let connection: SQLiteConnection
        switch role {
        case .host(let host):
            place = try StoreDirectory(directory, creating: true)
            lock = try StoreLock(place, by: host)
            (connection, mark) = try Self.connect(place, creating: true, isHost: true)
        case .client(let creates):
            place = try StoreDirectory(directory, creating: creates)
            lock = nil
            (connection, mark) = try Self.connect(place, creating: creates, isHost: false)
        }
        transaction = SQLiteTransaction(connection)
        database = OpenFile.identity(of: place.database)
        // Without the file's identity a replaced file would go unnoticed.
        guard database != nil else {
            throw OpenFile.fault(errno, "\(place.database) cannot be examined")
        }
        journal = OpenFile.identity(of: place.journal)
    }

    deinit {
        // A forked child must not close its parent's connection: SQLite would delete the log.
        if process != getpid(), let transaction { _ = Unmanaged.passRetained(transaction) }
    }

    // MARK: Transactions

    package func write<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let transaction = try usable()
        try transaction.begin(writing: true)
        do throws(StoreFault) {
            let result = try body(transaction)
            try transaction.commit()
            if let counters = transaction.counters { mark.raise(to: counters.acknowledged) }
            // Acknowledged is what is in the file that others find.
            guard let file = missingFile() else { return result }
            throw StoreFault(
                .unknown,
                "\(file) was deleted or replaced while the change was written, and has it where it is now: stop the host, put the file back, and start again"
            )
        } catch {
            transaction.rollBack()
            throw error
        }
    }

    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        // Reading also writes, if SQLite rebuilds the index of the log.
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

    /// A file that is not any more where it was opened.
    private func missingFile() -> String? {
        guard OpenFile.identity(of: place.database) == database else { return place.database }
        if let journal, OpenFile.identity(of: place.journal) != journal { return place.journal }
        return nil
    }

    private func checkFiles() throws(StoreFault) {
        guard let file = missingFile() else { return }
        throw StoreFault(
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
        transaction = nil
        let connection: SQLiteConnection
        (connection, mark) = try Self.connect(
            place, creating: false, isHost: lock != nil, isLogDoubted: true)
        let next = SQLiteTransaction(connection)
        transaction = next
        journal = OpenFile.identity(of: place.journal)
        return next
    }

    // MARK: Others

    /// A number that changes when another process has changed the store.
    package func dataVersion() throws(StoreFault) -> Int64 {
        let statement = try usable().connection.statement(.dataVersion)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Tells the host of the store in `directory`, if there is one, to look into it: it watches the
    /// times of a file.
    package static func touchWake(directory: String) throws(StoreFault) {
        let place = try StoreDirectory(directory, creating: false)
        let fd = Glibc.open(
            place.wake, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard fd >= 0 else { throw OpenFile.fault(errno, "\(place.wake) cannot be written to") }
        defer { close(fd) }
        let code = csys_touch(fd)
        if code != 0 { throw OpenFile.fault(code, "\(place.wake) cannot be written to") }
    }
}
