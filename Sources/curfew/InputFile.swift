// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads a file, or standard input, up to a limit.
enum InputFile {
    /// Why nothing was read, to be put after the name: lower case, no full stop.
    struct Fault: Error {
        let reason: String
    }

    /// Milliseconds to wait for a writer of a named pipe.
    private static var writerTimeout: Int32 { 1_000 }

    /// - Parameter path: `-` is standard input.
    static func read(_ path: String, limit: Int) throws(Fault) -> [UInt8] {
        let bytes = try beginning(of: path, limit: limit)
        guard bytes.count <= limit else { throw Fault(reason: "it has more than \(limit) bytes") }
        return bytes
    }

    /// Reads on until there are more bytes than the limit, or all of them.
    static func beginning(of path: String, limit: Int) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        let descriptor = path == "-" ? 0 : try opened(path, &bytes)
        defer { if descriptor != 0 { close(descriptor) } }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw Fault(reason: String(cString: strerror(errno)))
            }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Opens a file, and waits for the writer of a named pipe only for a limited time. Appends the
    /// bytes that it had to read for that.
    private static func opened(_ path: String, _ bytes: inout [UInt8]) throws(Fault) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(reason: String(cString: strerror(errno))) }
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if isNamedPipe(descriptor), poll(&ready, 1, writerTimeout) == 0 {
            // Nothing came: without a writer that is the end, with a slow one it is not.
            var byte: UInt8 = 0
            let count = Glibc.read(descriptor, &byte, 1)
            guard count != 0 else {
                close(descriptor)
                throw Fault(reason: "it is a named pipe without a writer")
            }
            if count > 0 { bytes.append(byte) }
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Whether it is a pipe that has a place in a directory. That of a shell's `<(…)` has none: who
    /// writes to it was there before, and may be gone already.
    private static func isNamedPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            return false
        }
        // The other kind is called `pipe:[…]`.
        var first = CChar(0)
        return readlink("/proc/self/fd/\(descriptor)", &first, 1) == 1
            && first == CChar(UInt8(ascii: "/"))
    }
}
