// SPDX-License-Identifier: Apache-2.0

/// A fault of a text, with its place, its rule and the correction.
package struct Diagnostic: Error, Hashable, Sendable {
    /// The name of the file in messages.
    package let file: String
    /// From 1; 0 when the fault is about the file as a whole.
    package let line: Int
    /// From 1, in characters; 0 when the fault is about the file as a whole.
    package let column: Int
    /// The number of underlined columns.
    package let width: Int
    /// The number of the fault in the catalogue of errors, where it has one.
    package let code: String?
    /// The fault: lower case, no full stop.
    package let message: String
    /// The stable name of the rule, `json-trailing-comma`.
    package let rule: String
    /// The correction.
    package let help: String
    /// The line the fault is on, or the part of a long line around it; empty for a whole file.
    package let sourceLine: String
    /// The column at which `sourceLine` begins; 1 unless the line was too long.
    package let sourceLineColumn: Int

    /// The fault as it is printed: several lines without a line feed at the end.
    package var rendered: String {
        let number = line > 0 ? String(line) : ""
        let margin = String(repeating: " ", count: max(number.count, 1) + 1)
        let prefix = "error\(code.map { "[\($0)]" } ?? ""): "
        var lines = [prefix + DiagnosticText.visible(message.unicodeScalars)]
        let name = DiagnosticText.visible(file.unicodeScalars)
        if line > 0 {
            let lead = sourceLineColumn > 1 ? "…" : ""
            let before = max(column - sourceLineColumn, 0)
            let shown = sourceLine.unicodeScalars.map { $0 == "\t" ? " " : $0 }
            let room = max(shown.count - before, 1)
            lines.append("\(margin)--> \(name):\(line):\(column)")
            lines.append("\(margin) |")
            lines.append(" \(number) | \(lead)\(DiagnosticText.visible(shown))")
            lines.append(
                "\(margin) | " + String(repeating: " ", count: lead.count + before)
                    + String(repeating: "^", count: min(max(width, 1), room)))
        } else {
            lines.append("\(margin)--> \(name)")
        }
        lines.append("\(margin) = help: \(DiagnosticText.visible(help.unicodeScalars))")
        return lines.joined(separator: "\n")
    }
}
