// SPDX-License-Identifier: Apache-2.0

/// A file's name and text, from which faults quote the line they are about.
package struct DiagnosticSource: Hashable, Sendable {
    /// The name in messages; no file is opened under it.
    package let file: String
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// Describes a fault at a position of this text.
    ///
    /// - Parameters:
    ///   - position: where the fault begins.
    ///   - width: how many columns to underline.
    ///   - code: in place of the one that the table of faults has for the rule.
    ///   - rule: the stable name of the rule that is broken.
    ///   - message: what is wrong, in lower case and without a full stop.
    ///   - help: what to write instead.
    package func diagnostic(
        at position: JSONPosition, width: Int = 1, code: String? = nil, rule: String,
        message: String, help: String
    ) -> Diagnostic {
        let excerpt = excerpt(around: position)
        return Diagnostic(
            file: file, line: position.line, column: position.column, width: width,
            code: code ?? Fault.named(rule)?.code, message: message, rule: rule, help: help,
            sourceLine: excerpt.text, sourceLineColumn: excerpt.column)
    }

    /// Describes a fault of the file as a whole.
    package func diagnostic(
        code: String? = nil, rule: String, message: String, help: String
    ) -> Diagnostic {
        Diagnostic(
            file: file, line: 0, column: 0, width: 0, code: code ?? Fault.named(rule)?.code,
            message: message, rule: rule, help: help, sourceLine: "", sourceLineColumn: 1)
    }

    /// The maximum number of quoted characters of a line.
    static var excerptLimit: Int { 120 }
    /// The number of them before the fault if the line is too long.
    static var excerptLead: Int { 40 }

    /// Returns the part of the line that shows the position, and the column at which it begins.
    ///
    /// Walks outwards from the position and stops at the limit, so that many faults on one very
    /// long line cost no more than as many on short ones.
    private func excerpt(around position: JSONPosition) -> (text: String, column: Int) {
        let offset = min(max(position.offset, 0), bytes.count)
        var start = offset
        var column = position.column
        while column > 1, start > 0, position.column - column < Self.excerptLimit {
            start -= 1
            if !isContinuation(bytes[start]) { column -= 1 }
        }
        if column > 1 {
            // The line is long: go back to where the lead begins.
            while position.column - column > Self.excerptLead, start < offset {
                start += 1
                if start == offset || !isContinuation(bytes[start]) { column += 1 }
            }
        }
        var end = start
        var count = 0
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
            if !isContinuation(bytes[end]) {
                if count == Self.excerptLimit { break }
                count += 1
            }
            end += 1
            // A run of stray continuation bytes counts as nothing but must end as well.
            if end - start >= 4 * Self.excerptLimit { break }
        }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return (String(decoding: bytes[start..<end], as: UTF8.self), column)
    }

    private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
