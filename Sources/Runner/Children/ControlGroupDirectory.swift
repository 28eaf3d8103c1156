// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// A directory of the file system of control groups, version 2.
final class ControlGroupDirectory: Sendable {
    let descriptor: Int32

    /// Opens a directory. Returns nil if there is none.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    private init?(_ name: String, in parent: Int32) {
        descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { Glibc.close(descriptor) }

    /// Its manager has left it to the processes in it.
    var isDelegated: Bool { csys_group_is_delegated(descriptor) }

    /// The names of the controllers that set limits in the groups below.
    var enabledBelow: [Substring] { words(of: "cgroup.subtree_control") }

    /// The ids of the processes in it, as this process sees them.
    var processes: [Int32] { words(of: "cgroup.procs").compactMap { Int32($0) } }

    /// Makes a group below, or opens the one that is there if `mayExist`.
    func make(_ name: String, mayExist: Bool = false) -> ControlGroupDirectory? {
        guard mkdirat(descriptor, name, 0o755) == 0 || mayExist && errno == EEXIST else {
            return nil
        }
        return ControlGroupDirectory(name, in: descriptor)
    }

    /// Removes a group below. Returns false while it has processes.
    func remove(_ name: String) -> Bool {
        unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT
    }

    /// The names of the groups below.
    var names: [String] {
        var names: [String] = []
        // The stream closes its descriptor.
        guard let stream = fdopendir(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else { return [] }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            guard entry.pointee.d_type == DT_DIR else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    // MARK: Files

    /// Writes a file of it. Returns false, with errno, when there is no such file or the kernel refuses.
    func write(_ text: String, to name: String) -> Bool {
        let file = openat(descriptor, name, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }

    func write(_ value: UInt64, to name: String) -> Bool { write(String(value), to: name) }

    /// The number after a key in a file of it.
    func value(of key: String, in name: String) -> UInt64? {
        let words = words(of: name)
        guard let place = words.firstIndex(where: { $0 == key }) else { return nil }
        return words[(place + 1)...].first.flatMap { UInt64($0) }
    }

    private func words(of name: String) -> [Substring] {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = max(0, read(file, &bytes, bytes.count))
        return String(decoding: bytes[..<count], as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
    }
}
