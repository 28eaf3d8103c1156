// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An open file, closed at the end of its life.
struct Descriptor: ~Copyable {
    let number: Int32
    let path: String

    /// Opens a file. One to be written is not opened through a symbolic link.
    init(_ path: String, _ flags: Int32) throws {
        let opened = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard opened >= 0 else { throw FeedProblem("open", path, errno) }
        number = opened
        self.path = path
    }

    deinit { close(number) }

    /// Returns the file's status; throws if it is not a regular file.
    func status() throws -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FeedProblem("look at", path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FeedProblem("\(path) is not a regular file; name one, or a new one")
        }
        return status
    }

    /// Reads from an offset to the end; throws if that is more than `limit` bytes.
    func readAll(from start: Int64, limit: Int, _ tooLarge: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let got = pread(number, &piece, piece.count, off_t(start) + bytes.count)
            if got == 0 { return bytes }
            guard got > 0 else {
                if errno == EINTR { continue }
                throw FeedProblem("read", path, errno)
            }
            guard bytes.count + got <= limit else {
                throw FeedProblem("could not read \(path): \(tooLarge)")
            }
            bytes += piece[..<got]
        }
    }

    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let put = Glibc.write(
                    number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard put >= 0 else {
                    if errno == EINTR { continue }
                    throw FeedProblem("write", path, errno)
                }
                rest = rest.dropFirst(put)
            }
        }
    }

    /// Syncs the file to disk.
    func settle() throws {
        guard fsync(number) == 0 else { throw FeedProblem("finish writing", path, errno) }
    }
}
