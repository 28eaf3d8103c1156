// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// Detects writes of other processes to the store.
///
/// A host's lease tells of them, or they touch a file after their commit. A process may be killed in between, and a commit may
/// precede the watch, so the store's data version decides: it is read when the file was touched,
/// and periodically.
struct StoreWatch: ~Copyable {
    /// Readable once the file is touched; -1 without a watch.
    private(set) var descriptor: Int32 = -1
    private let file: String?
    private let lease: (any HostLease)?
    /// Nanoseconds between two checks without a touch.
    private let interval: UInt64
    private var identity: csys_identity?
    /// Nil when unknown, so that the next check reports news.
    private var version: Int64?
    /// CLOCK_MONOTONIC time of the next check, if neither the file is touched nor the lease signals before.
    private(set) var nextLook: UInt64

    /// - Parameters:
    ///   - file: the file that is touched; nil if there is a lease, or no other process uses the store.
    ///   - lease: of a store that many hosts share.
    ///   - interval: nanoseconds between two checks without a touch of the file.
    init(_ file: String?, _ lease: (any HostLease)?, every interval: UInt64) {
        self.file = file
        self.lease = lease
        self.interval = interval
        nextLook = file == nil ? .max : 0
        if let lease { descriptor = lease.descriptor }
    }

    deinit { if lease == nil, descriptor >= 0 { csys_close(descriptor) } }

    /// Remembers the data version before the store is read; later writes are news.
    mutating func willRead(_ store: any RequestStore) {
        guard file != nil || lease != nil else { return }
        version = try? store.dataVersion()
        if lease != nil { lookAgain(store) }
    }

    /// Forgets the data version, because another connection counts anew.
    mutating func forget() { version = nil }

    /// Whether others have written since the last call that returned true, or since `willRead`.
    mutating func hasNews(_ store: any RequestStore) -> Bool {
        if let lease { return hasNews(store, lease) }
        guard file != nil else { return false }
        let isTouched = csys_file_watch_drain(descriptor)
        let now = csys_monotonic_ns()
        guard isTouched || nextLook <= now else { return false }
        nextLook = now + min(interval, .max - now)
        // In this order, so that the version includes writes before the watch existed.
        renew()
        let before = version
        version = try? store.dataVersion()
        return before == nil || version != before
    }

    private mutating func hasNews(_ store: any RequestStore, _ lease: any HostLease) -> Bool {
        let isTold = csys_eventfd_drain(lease.descriptor)
        guard isTold || nextLook <= csys_monotonic_ns() else { return false }
        let before = version
        version = try? store.dataVersion()
        lookAgain(store)
        // What cannot be asked may have changed, and nobody tells of it again.
        return version == nil || version != before
    }

    /// Another host had locked a request that this one was to launch. If its transaction is rolled back, no notice comes:
    /// the store is read again after `settleInterval`.
    mutating func missed() {
        guard lease != nil else { return }
        version = nil
        nextLook = min(nextLook, csys_monotonic_ns() + Self.settleInterval)
    }

    /// Sets the time of the next check. The data version may count a transaction that is not committed yet, and its commit
    /// does not change the version.
    private mutating func lookAgain(_ store: any RequestStore) {
        nextLook = store.isSettled ? .max : csys_monotonic_ns() + Self.settleInterval
    }

    /// Nanoseconds until the next check while transactions of others are under way.
    private static let settleInterval: UInt64 = 1_000_000_000

    /// Whether the store has answered the last question.
    var hasAnswer: Bool { version != nil }

    /// Watches the current file; recreates a removed one for other processes to touch.
    private mutating func renew() {
        guard let file else { return }
        var found = csys_identity()
        if let identity, csys_identify_path(file, &found), found == identity { return }
        if descriptor >= 0 { csys_close(descriptor) }
        let made = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if made >= 0 { close(made) }
        descriptor = csys_file_watch(file)
        identity = descriptor >= 0 && csys_identify_path(file, &found) ? found : nil
    }
}

private func == (a: csys_identity, b: csys_identity) -> Bool {
    a.device == b.device && a.inode == b.inode
}
