// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A small file of the kernel or the system, read again each time.
///
/// The content is untrusted: it may be large, empty, binary, gone, or an error of the driver behind
/// it. No read waits for a device, and none returns more than `limit` bytes.
struct TextFile {
    let path: String
    let limit: Int

    /// The maximum size of a file of sysfs.
    static let page = 4_096
    /// The limit for tables, some hundreds of lines.
    static let table = 65_536

    init(_ path: String, limit: Int = page) {
        self.path = path
        self.limit = limit
    }

    /// The file's beginning, and whether there is more of it.
    func beginning() throws(FileFault) -> (bytes: [UInt8], isCut: Bool) {
        guard !path.utf8.contains(0) else {
            throw FileFault(path, "a path cannot have a zero byte")
        }
        // Neither waits for the other end of a pipe, nor makes a terminal this process' own.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileFault(path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFault(path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFault(path, "is not a regular file")
        }
        return try contents(of: descriptor)
    }

    private func contents(of descriptor: Int32) throws(FileFault) -> (bytes: [UInt8], isCut: Bool) {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        var interruptions = 0
        while count <= limit {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if more < 0 {
                let code = errno
                interruptions += 1
                if code == EINTR, interruptions < 100 { continue }
                throw FileFault(path, code: code)
            }
            if more == 0 { break }
            count += more
        }
        return (Array(bytes.prefix(min(count, limit))), count > limit)
    }

    /// All of it.
    func text() throws(FileFault) -> String {
        let (bytes, isCut) = try beginning()
        guard !isCut else { throw FileFault(path, "has more than \(limit) bytes") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The one line that a file of sysfs has, without the spaces around it.
    func word() throws(FileFault) -> String {
        let bytes = try beginning().bytes.prefix { $0 != UInt8(ascii: "\n") }
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let word = Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard !word.isEmpty else { throw FileFault(path, "is empty") }
        guard word.count <= 128, word.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw FileFault(path, "has something else than a word")
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// The one number that it has.
    func number(in range: ClosedRange<Int>) throws(FileFault) -> Int {
        let word = try word()
        guard let number = Int(word) else {
            throw FileFault(path, "\"\(Shown.text(word, longest: 24))\" is no number")
        }
        guard range.contains(number) else {
            throw FileFault(
                path, "\(number) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
