// SPDX-License-Identifier: Apache-2.0
import Glibc
import Persistence
import Runner
package import Scheduling

/// A client of a store, beside its host or without one: it lists, submits and cancels requests, and
/// launches none.
///
/// One thread may use it at a time. Dates are nanoseconds since 1970 in UTC.
package final class StoreClient {
    let store: any RequestStore
    let address: StoreAddress
    /// The fault that kept the host from being notified of the last write; nil if there was none.
    /// The write was committed, and the host sees it with the next change.
    package private(set) var wakeFault: StoreFault?

    /// The directory of the store, with symbolic links resolved, or the URL of its server without a password.
    package let directory: String

    /// Opens the store in `directory`, or at a URL; `creates` makes it if it does not exist. Its parent
    /// directory must exist.
    ///
    /// Throws `.absent` if there is no store; `.denied` if it belongs to another user or is not
    /// safe; `.newer`, `.corrupt` or `.gone` if it cannot be used. The store is unchanged then.
    package init(directory: String, creates: Bool = false) throws(StoreFault) {
        address = try StoreAddress(directory)
        switch address {
        case .directory(let path):
            let opened = try SQLiteStore.open(directory: path, as: .client(creates: creates))
            store = opened
            self.directory = opened.directory
        case .server(let server):
            store = try PostgresStore.open(server, creates: creates)
            self.directory = server.text
        }
    }

    /// Returns whether a text is the URL of a store on a server.
    package static func isAddress(_ text: String) -> Bool { PostgresAddress.isAddress(text) }

    /// Returns a directory, or a URL without a password, for people.
    package static func shown(_ text: String) throws(StoreFault) -> String {
        try StoreAddress(text).text
    }

    /// Returns what identifies the store that a path or a URL names, without passwords and parameters of the connection.
    package static func key(_ text: String) throws(StoreFault) -> String {
        try StoreAddress(text).key
    }

    /// Returns whether the directory has files that only a used store leaves behind. The database
    /// itself may be missing.
    package static func wasUsed(directory: String) -> Bool {
        !isAddress(directory) && SQLiteStore.wasUsed(directory: directory)
    }

    /// Returns the first request of each queue of a store, and changes nothing of it: see
    /// `SQLiteStore.heads(directory:limit:)`.
    package static func heads(
        of directory: String, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)] {
        try SQLiteStore.heads(directory: directory, limit: limit)
    }

    /// Reads the store: `body` sees one consistent state.
    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try store.read(body) }

    /// Runs `body` in a transaction under the rules of requests, then notifies the host.
    ///
    /// - Parameters:
    ///   - limits: the limits for accepting requests; the client does not know those of a host.
    ///   - isWanted: whether the changes with that result are committed; if not, they are undone,
    ///     and the result is returned all the same.
    ///   - body: the changes, of which all or none are committed. On a server it may be called again.
    package func write<Result>(
        limits: RequestLimits = RequestLimits(), if isWanted: (Result) -> Bool = { _ in true },
        _ body: (inout RequestLedger, any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        var undone: Result?
        var result: Result?
        var tries = 0
        repeat {
            do throws(StoreFault) {
                result = try store.write { (transaction) throws(StoreFault) in
                    var ledger = RequestLedger(limits: limits, zone: LocalZone())
                    let result = try body(&ledger, transaction)
                    guard !isWanted(result) else { return result }
                    undone = result
                    throw StoreFault(.unknown, "the changes are not wanted")
                }
            } catch {
                if let undone { return undone }
                // A host has changed what this was about to change.
                guard error.kind == .busy, case .server = address, tries < Self.conflictTries
                else { throw error }
                tries += 1
                usleep(UInt32.random(in: 1_000...10_000) * UInt32(tries))
            }
        } while result == nil
        do throws(StoreFault) {
            switch address {
            case .directory: try SQLiteStore.touchWake(directory: directory)
            case .server: try (store as? PostgresStore)?.wakeHosts()
            }
            wakeFault = nil
        } catch {
            wakeFault = error
        }
        return result!
    }

    /// How often a change is tried again in a store on a server.
    private static let conflictTries = 5

    /// Returns a number that changes when another process has changed the store.
    package func dataVersion() throws(StoreFault) -> Int64 { try store.dataVersion() }

    /// The write-ahead log, which grows with each change: watch it to wait for changes. A store on a server has none.
    package var watchedFile: String { directory + "/requests.db-wal" }

    // MARK: Settings

    /// Returns the settings that people made about launches.
    package func settings(at now: Moment) throws(StoreFault) -> HandlerSettings {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        try read { (store) throws(StoreFault) in try book.readState(at: now, store) }
        return book.settings
    }

    /// Changes the setting of a scope, and returns all settings. Returns a fault, and changes
    /// nothing, if the scope's name is no identifier, or too many scopes have a setting.
    package func change(
        _ scope: HandlerScope, at now: Moment, _ change: (inout HandlerSetting) -> Void
    ) throws(StoreFault) -> Result<HandlerSettings, HandlerScope.Fault> {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        return try write { (_, store) throws(StoreFault) in
            try book.readState(at: now, store)
            var setting = book.settings.settings[scope] ?? HandlerSetting()
            change(&setting)
            return try book.set(setting, for: scope, store)
        }
    }

    // MARK: Quarantine

    /// Returns the plugins that hosts of this store do not run.
    package func quarantine() throws(StoreFault) -> QuarantineList {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        try read { (store) throws(StoreFault) in
            try book.readState(at: Moment(wall: 0, span: 0), store)
        }
        return book.quarantine
    }

    /// Changes the list of quarantined plugins, and notifies the host. Returns the result of the
    /// change.
    package func changeQuarantine<Result>(
        _ change: (inout QuarantineList) -> Result
    ) throws(StoreFault) -> Result {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        return try write { (_, store) throws(StoreFault) in
            try book.changeQuarantine(store, change)
        }
    }

    // MARK: Maintenance

    /// Removes a damaged value, so that a host can start again without it.
    package func forget(_ value: KeptValue) throws(StoreFault) {
        try write { (_, store) throws(StoreFault) in try store.forget(value) }
    }

    /// Checks the file of a store; `isFull` also checks the integrity of the database. Returns the
    /// faults for people, or an empty array.
    package static func check(
        directory: String, isFull: Bool = false
    ) throws(StoreFault) -> [String] {
        if case .server = try StoreAddress(directory) {
            return try StoreClient(directory: directory).unreadable(isFull: isFull)
        }
        return isFull
            ? try SQLiteStore.integrityCheck(directory: directory)
            : try SQLiteStore.quickCheck(directory: directory)
    }

    /// Reads the values and requests, of which `isFull` reads all, and returns what cannot be read. The files are the
    /// server's to check.
    private func unreadable(isFull: Bool) throws(StoreFault) -> [String] {
        do throws(StoreFault) {
            return try read { (store) throws(StoreFault) in
                var filter = RequestFilter(limit: 1_000)
                while let last = try store.requests(filter).last, isFull { filter.after = last.id }
                return try KeptValue.faults(in: store)
            }
        } catch {
            guard error.kind == .corrupt else { throw error }
            return [error.message]
        }
    }

    /// Brings the tables of a store on a server to the version that this program needs; see `PostgresMigration`.
    /// Returns the versions before and after.
    package static func migrate(
        _ url: String, isRehearsal: Bool = false
    ) throws(StoreFault) -> (from: Int64, to: Int64) {
        let migration = try PostgresMigration.run(PostgresAddress(url), isRehearsal: isRehearsal)
        return (migration.from, migration.to)
    }

    /// Copies a consistent state of a store into a new file.
    package static func backup(directory: String, to file: String) throws(StoreFault) {
        if case .server(let server) = try StoreAddress(directory) {
            throw StoreFault(
                .denied,
                "the store at \(server.text) is backed up with its server: type `pg_dump --schema=\(server.schema) --format=custom --file=\(file) DATABASE`"
            )
        }
        try SQLiteStore.backup(directory: directory, to: file)
    }
}
