// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
internal import Scheduling

/// The lock on a store's directory: held by a host during its life, and by a client while it
/// creates or migrates the tables. The lock ends with the process, however that ends.
///
/// It locks the directory, since that is used: a lock file can be deleted, and a new one would lock
/// another file. flock(2) excludes others. A host also has a record lock, which can be queried
/// without taking it (fcntl(2), "F_OFD_GETLK").
final class DirectoryLock {
    private let fd: Int32
    private let process = getpid()

    /// Fails if another process, or another part of this one, holds the lock.
    init?(_ place: StoreDirectory) throws(StoreFault) {
        fd = try Self.open(place)
        let code = csys_lock_directory(fd)
        if code == EWOULDBLOCK { return nil }
        guard code == 0 else { throw OpenFile.fault(code, "\(place.path) cannot be locked") }
        // Another directory may have been put in its place since the path was looked at.
        if OpenFile.identity(of: fd) != OpenFile.identity(of: place.path) { return nil }
    }

    /// A child that was forked may have a copy of the descriptor, and would keep the lock.
    deinit {
        if process == getpid() { csys_unlock(fd) }
        close(fd)
    }

    /// Shows other processes that there is a host.
    func show(_ place: StoreDirectory) throws(StoreFault) {
        let code = csys_show_host(fd)
        if code != 0 { throw OpenFile.fault(code, "\(place.path) cannot be locked") }
    }

    /// True while a host has the lock.
    static func hasHost(_ place: StoreDirectory) throws(StoreFault) -> Bool {
        let fd = try open(place)
        defer { close(fd) }
        return csys_has_host(fd)
    }

    private static func open(_ place: StoreDirectory) throws(StoreFault) -> Int32 {
        let fd = Glibc.open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else {
            throw OpenFile.fault(errno, "the store's directory \(place.path) cannot be opened")
        }
        return fd
    }
}
