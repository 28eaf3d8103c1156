// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
package import Scheduling

extension SQLiteStore {
    /// Returns the host of the store in `directory`; nil if there is none. Takes no lock, so as not
    /// to disturb a host that starts at the same time.
    package static func host(of directory: String) throws(StoreFault) -> HostPresence? {
        let place = try StoreDirectory(directory, creating: false)
        let isHere = try DirectoryLock.hasHost(place)
        let fd = Glibc.open(place.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else {
            if errno == ENOENT { return isHere ? HostPresence() : nil }
            throw OpenFile.fault(errno, "\(place.lock) cannot be opened")
        }
        defer { close(fd) }
        // A host of an earlier version has locked the file alone.
        guard isHere || csys_has_host(fd) else { return nil }
        return presence(OpenFile.beginning(of: fd, limit: 256) ?? [])
    }

    /// Reads what `StoreLock` has written down.
    private static func presence(_ bytes: [UInt8]) -> HostPresence {
        let words = String(decoding: bytes, as: UTF8.self)
            .unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        guard words.count == 4, let process = Int32(words[0]), process > 0,
            let since = Int64(words[3]), (0...7_258_118_400).contains(since)
        else { return HostPresence() }
        return HostPresence(process: process, since: since * 1_000_000_000)
    }
}

extension SQLiteStore {
    /// Returns the file that a process touches after writing to the store, to notify its host.
    package static func wakeFile(of directory: String) -> String { directory + "/wake" }
}
