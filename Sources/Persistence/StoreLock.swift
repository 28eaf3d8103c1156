// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
internal import Scheduling

/// The one place of a host in a store: the lock on its directory, and a file that says who has it.
/// The file is locked, too, for hosts of earlier versions, which know no other lock.
final class StoreLock {
    private let directory: DirectoryLock
    private let fd: Int32
    private let process: Int32

    /// Throws `.locked`, naming who has it.
    init(_ place: StoreDirectory, by host: HostIdentity) throws(StoreFault) {
        process = getpid()
        directory = try Self.lockDirectory(place)
        fd = try Self.lock(place)
        // For people only: what counts is the lock, and a full disk is noticed elsewhere.
        let note = Array("\(host.process) \(host.start) \(host.boot) \(time(nil))\n".utf8)
        _ = ftruncate(fd, 0)
        _ = note.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        // A child made by fork(2) has the same opening of the file: what it says stays its parent's, and
        // so does the lock, which would not go before the child's copy is closed, too.
        if process == getpid() {
            _ = ftruncate(fd, 0)
            csys_unlock(fd)
        }
        close(fd)
    }

    /// A client that makes the tables is no host, and is waited for. Changing those of an earlier
    /// version can take a while.
    private static func lockDirectory(_ place: StoreDirectory) throws(StoreFault) -> DirectoryLock {
        let deadline = RetryDeadline(seconds: 60)
        while true {
            if let lock = try DirectoryLock(place) {
                try lock.show(place)
                return lock
            }
            if try DirectoryLock.hasHost(place) { throw taken(place) }
            guard deadline.waits() else { throw place.isBeingMade }
        }
    }

    /// Opens the file and takes the lock.
    private static func lock(_ place: StoreDirectory) throws(StoreFault) -> Int32 {
        for _ in 0..<100 {
            let fd = open(place.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard fd >= 0 else { throw fault(errno, place) }
            let code = csys_lock_file(fd)
            guard code == 0 else {
                let holder = holder(fd)
                close(fd)
                throw code == EAGAIN ? taken(place, by: holder) : fault(code, place)
            }
            // Another process may have removed the file in between, and a third one created a new
            // one.
            if OpenFile.identity(of: fd) == OpenFile.identity(of: place.lock) { return fd }
            close(fd)
        }
        throw StoreFault(
            .denied, "\(place.lock) is replaced again and again: find out by whom, and stop that")
    }

    private static func fault(_ code: Int32, _ place: StoreDirectory) -> StoreFault {
        code == EACCES
            ? StoreFault(
                .readOnly, "\(place.lock) cannot be written to: a host needs its store for writing")
            : OpenFile.fault(code, "\(place.lock) cannot be locked")
    }

    private static func taken(_ place: StoreDirectory, by holder: String) -> StoreFault {
        StoreFault(
            .locked,
            "the store \(place.path) is used by \(holder): stop that one first, or give this one a store of its own"
        )
    }

    private static func holder(of place: StoreDirectory) -> String {
        let fd = open(place.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if fd >= 0 { close(fd) } }
        return holder(fd)
    }

    /// Returns the fault of a store that another host uses.
    static func taken(_ place: StoreDirectory) -> StoreFault { taken(place, by: holder(of: place)) }

    /// Returns the holder, as the file names it.
    private static func holder(_ fd: Int32) -> String {
        let bytes = OpenFile.beginning(of: fd, limit: 256) ?? []
        let words = String(decoding: bytes, as: UTF8.self)
            .unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        guard words.count == 4, let process = Int32(words[0]), process > 0,
            let since = Int64(words[3]), (0...7_258_118_400).contains(since)
        else { return "another host" }
        let host = "the host with process number \(process), since \(date(since)) UTC"
        guard kill(process, 0) != 0, errno == ESRCH else { return host }
        return
            "\(host), which is not to be seen here (it is in another container, or a process that it started has the store still: fuser -v shows it)"
    }

    private static func date(_ seconds: Int64) -> String {
        let time = CivilTime(seconds: seconds)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(time.year)-\(two(time.month))-\(two(time.day)) \(two(time.hour)):\(two(time.minute))"
    }
}
