// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads a file, or standard input, up to a limit.
enum InputFile {
    /// Why nothing was read, to be put after the name: lower case, no full stop.
    struct Fault: Error {
        let reason: String
    }

    /// - Parameter path: `-` is standard input.
    static func read(_ path: String, limit: Int) throws(Fault) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(reason: String(cString: strerror(errno))) }
        defer { if descriptor != 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw Fault(reason: String(cString: strerror(errno)))
            }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw Fault(reason: "it has more than \(limit) bytes")
            }
        }
    }
}
