// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads a directory entry by entry, in constant memory.
struct DirectoryReader: ~Copyable {
    private let stream: OpaquePointer
    private let path: String

    /// The directory's descriptor, for `openat` and similar calls.
    var number: Int32 { dirfd(stream) }

    /// Opens a directory; a symbolic link is refused.
    init(_ name: UnsafePointer<CChar>, in parent: Int32, path: String) throws {
        let opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw MirrorProblem("open the directory", path, errno) }
        guard let stream = fdopendir(opened) else {
            let error = errno
            close(opened)
            throw MirrorProblem("read the directory", path, error)
        }
        self.stream = stream
        self.path = path
    }

    deinit { closedir(stream) }

    /// Passes the next name to the body, without "." and "..". Returns false at the end.
    func next(_ body: (UnsafePointer<CChar>) throws -> Void) throws -> Bool {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw MirrorProblem("read the directory", path, errno) }
                return false
            }
            // The name may be longer than the array that the header declares for it.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
            let name = UnsafeRawPointer(entry).advanced(by: offset)
                .assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
            try body(name)
            return true
        }
    }
}
