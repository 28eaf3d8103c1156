// SPDX-License-Identifier: Apache-2.0
import Persistence
import Runner
package import Scheduling

/// A store beside its host, or without one: for programs that look at requests, submit and cancel
/// them, and launch none.
///
/// One thread uses it at a time. Dates are nanoseconds since 1970 in UTC.
package final class StoreClient {
    private let store: SQLiteStore
    /// Why the host could not be told of the last write, which was done; nil: it was, or there is
    /// none. A host that was not told sees it with its next change.
    package private(set) var wakeFault: StoreFault?

    /// Its directory, without links.
    package var directory: String { store.directory }

    /// Opens the store in `directory`, which is made with `creates` where there is none; the
    /// directory above it must be there.
    ///
    /// Throws `.absent` where it is not there; `.denied` where it is not this user's, or not safe;
    /// `.newer`, `.corrupt` and `.gone` where it cannot be used, which is then left as it is.
    package init(directory: String, creates: Bool = false) throws(StoreFault) {
        store = try SQLiteStore.open(directory: directory, as: .client(creates: creates))
    }

    /// There is something in the directory that only a store which was used leaves behind; its
    /// database may be missing all the same.
    package static func wasUsed(directory: String) -> Bool {
        SQLiteStore.wasUsed(directory: directory)
    }

    /// Looks: all that `body` sees is of one moment.
    package func read<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result { try store.read(body) }

    /// Does what `body` does, all of it or nothing, by the rules of requests; then tells the host.
    ///
    /// - Parameters:
    ///   - limits: what is taken in; those of a host are its own, and not known here.
    ///   - body: does it, inside the transaction.
    package func write<Result>(
        limits: RequestLimits = RequestLimits(),
        _ body: (inout RequestLedger, any StoreTransaction) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        var ledger = RequestLedger(limits: limits, zone: LocalZone())
        let result = try store.write { (transaction) throws(StoreFault) in
            try body(&ledger, transaction)
        }
        do throws(StoreFault) {
            try SQLiteStore.touchWake(directory: directory)
            wakeFault = nil
        } catch {
            wakeFault = error
        }
        return result
    }

    /// The host that uses the store now; nil: there is none, and nothing is launched.
    package func host() throws(StoreFault) -> HostPresence? {
        try SQLiteStore.host(of: directory)
    }

    /// A number that changes when another process has changed the store.
    package func dataVersion() throws(StoreFault) -> Int64 { try store.dataVersion() }

    /// The file that grows with what is written: where to wait for changes.
    package var watchedFile: String { store.directory + "/requests.db-wal" }

    // MARK: Settings

    /// What people have set about launches.
    package func settings(at now: Moment) throws(StoreFault) -> HandlerSettings {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        try read { (store) throws(StoreFault) in try book.readState(at: now, store) }
        return book.settings
    }

    /// Changes what is set for some handlers, and returns all that is set then. With a fault nothing
    /// was changed: the scope's name is no identifier, or too many have a setting.
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

    // MARK: Care

    /// Removes a value that cannot be read, for a host to start again without it.
    package func forget(_ value: KeptValue) throws(StoreFault) {
        try write { (_, store) throws(StoreFault) in try store.forget(value) }
    }

    /// Looks a store's file through; with `isFull` also whether its parts fit each other. Returns
    /// what is wrong, for people; empty: nothing.
    package static func check(
        directory: String, isFull: Bool = false
    ) throws(StoreFault) -> [String] {
        isFull
            ? try SQLiteStore.integrityCheck(directory: directory)
            : try SQLiteStore.quickCheck(directory: directory)
    }

    /// Copies a store, as it is at one moment, into a file that is not there yet.
    package static func backup(directory: String, to file: String) throws(StoreFault) {
        try SQLiteStore.backup(directory: directory, to: file)
    }
}
