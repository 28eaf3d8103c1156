// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// A directory whose entries come and go.
struct Directory {
    let path: String
    /// The maximum number of entries that are read.
    static let limit = 4_096

    init(_ path: String) { self.path = path }

    /// Its entries in order, without those that begin with a dot or are not UTF-8.
    func names() throws(FileFault) -> [String] {
        guard !path.utf8.contains(0) else {
            throw FileFault(path, "a path cannot have a zero byte")
        }
        guard let stream = opendir(path) else { throw FileFault(path, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < Self.limit {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileFault(path, code: errno) }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // No expected name has characters beyond ASCII; a repaired name would denote another
            // file.
            if let name, !name.begins(with: ".") { names.append(name) }
        }
        return names.sorted()
    }
}
