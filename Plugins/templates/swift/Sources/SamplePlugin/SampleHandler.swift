// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Glibc

/// Counts the lines of a file, and tells of each that is long.
///
/// Payload: the file's absolute path. For each line of more than 100 bytes the event
/// `sample_long(number, bytes)` is raised; the result is JSON: `{"lines":12,"bytes":345}`.
struct SampleHandler: TaskHandler {
    private static let long = 100
    private static let pieceBytes = 65_536

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let path = String(decoding: task.payload, as: UTF8.self)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw SampleProblem("the payload must be the absolute path of a file")
        }
        // A call that waits for others (a pipe's writer, a server) does not see that the time is
        // up: use those that do not wait.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw SampleProblem("could not open \(path)", errno) }
        defer { close(file) }
        var facts = stat()
        let size = fstat(file, &facts) == 0 ? Int64(facts.st_size) : 0

        var count = SampleCount()
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            // When the time is up the Swift task is cancelled, and then the grace runs. It is enough
            // to ask often; an error of one's own can say how far the work is.
            guard !Task.isCancelled else {
                let reason = task.reason.map { " because \($0)" } ?? ""
                throw SampleProblem("stopped after \(count.bytes) bytes\(reason)")
            }
            let bytes = read(file, &piece, piece.count)
            guard bytes >= 0 else { throw SampleProblem("could not read \(path)", errno) }
            guard bytes > 0 else { break }
            for byte in piece[..<bytes] {
                guard let length = count.add(byte), length > Self.long else { continue }
                // A full queue of the host is no reason to give up the work.
                try? task.raise("sample_long", .int64(Int64(count.lines)), .int64(Int64(length)))
            }
            if size > 0 {
                task.report(progress: Double(count.bytes) / Double(size), "counting")
            }
        }
        task.report(progress: 1)
        return Array(#"{"lines":\#(count.lines),"bytes":\#(count.bytes)}"#.utf8)
    }
}
