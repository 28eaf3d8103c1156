// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// Notices that other processes have written into the store.
///
/// They touch a file after their commit. That alone would miss a process that is killed in between,
/// and a commit that came before the watch stood; so the store's own data version decides, and is
/// looked at when the file is touched and from time to time.
struct StoreWatch: ~Copyable {
    /// Readable once the file is touched; -1: it is not watched.
    private(set) var descriptor: Int32 = -1
    private let file: String?
    /// Nanoseconds between two looks while nothing happens.
    private let interval: UInt64
    /// The file that is watched.
    private var identity: csys_identity?
    /// Nil: not known, so that the next look says that there is something new.
    private var version: Int64?
    /// When to look although nobody has touched the file, on the monotonic clock.
    private(set) var nextLook: UInt64

    /// - Parameter file: the one that is touched; nil: nobody else uses the store.
    init(_ file: String?, every interval: UInt64) {
        self.file = file
        self.interval = interval
        nextLook = file == nil ? .max : 0
    }

    deinit { if descriptor >= 0 { csys_close(descriptor) } }

    /// The store is about to be read: what others write from now on is new.
    mutating func willRead(_ store: any RequestStore) {
        if file != nil { version = try? store.dataVersion() }
    }

    /// The connection to the store may be another one from now on, which counts anew.
    mutating func forget() { version = nil }

    /// Others have written since the last call that said so, or since `willRead`.
    mutating func hasNews(_ store: any RequestStore) -> Bool {
        guard file != nil else { return false }
        let isTouched = csys_file_watch_drain(descriptor)
        let now = csys_monotonic_ns()
        guard isTouched || nextLook <= now else { return false }
        let (next, overflow) = now.addingReportingOverflow(interval)
        nextLook = overflow ? .max : next
        // In this order: what is written before the watch stands is seen by the look.
        renew()
        let before = version
        version = try? store.dataVersion()
        return before == nil || version != before
    }

    /// Watches the file that is there now. One that was removed is made again: the next process that
    /// touches it is to touch what is watched.
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
