// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The entries of a directory.
enum DirectoryNames {
    /// All names but `.` and `..`, in no order.
    static func all(in path: String) throws(CommandError) -> [String] {
        guard let stream = opendir(path) else {
            throw CommandError(
                .faults, "`\(path)` cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
            let name = UnsafeRawPointer(entry).advanced(by: offset)
                .assumingMemoryBound(to: CChar.self)
            guard let name = String(validatingCString: name) else {
                throw CommandError(
                    .faults, "`\(path)` holds `\(String(cString: name))`, which is not UTF-8",
                    help: ["rename it"])
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
