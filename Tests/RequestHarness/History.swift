// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What happened, told to whoever started the harness: one line a record, its fields separated by
/// tabs.
///
/// Standard output is a pipe, and each record is one write(2): what the kernel has taken into a pipe
/// stays there when the writer is killed, and up to PIPE_BUF bytes are taken whole or not at all. Only
/// the machine's end would lose them, which nothing here brings about.
enum History {
    /// PIPE_BUF on Linux.
    private static let limit = 4_096

    static func put(_ kind: String, _ fields: String...) {
        var line = kind
        for field in fields {
            line += "\t"
            line += String(
                field.prefix(900).map { $0 == "\t" || $0 == "\n" || $0 == "\r\n" ? " " : $0 })
        }
        var bytes = Array(line.utf8.prefix(limit - 1))
        bytes.append(UInt8(ascii: "\n"))
        bytes.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
