// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Faults with their places, one after another; each code is explained where it comes first.
struct FaultScreen {
    /// The beginning of the line that names the next command.
    static var explanation: String { "curfew explain CF" }

    private var seen: Set<String> = []

    /// Returns the fault as it is printed, without a line feed at the end.
    mutating func text(of fault: Diagnostic, _ out: Output) -> String {
        var text = fault.rendered
        if let code = fault.code, seen.insert(code).inserted {
            let last = text.split(separator: "\n").last ?? ""
            // Under the help, which comes last.
            let indent = last.prefix { $0 == " " }.count + "= help: ".count
            text += "\n" + String(repeating: " ", count: indent) + "curfew explain \(code)"
        }
        return out.shown(diagnostics: text)
    }
}

/// A fault of a manifest, as JSON.
enum FaultItem {
    static func item(_ fault: Diagnostic) -> JSONItem {
        .object([
            ("code", .text(orNull: fault.code)), ("rule", .text(fault.rule)),
            ("message", .text(fault.message)), ("file", .text(fault.file)),
            ("line", .integer(Int64(fault.line))), ("column", .integer(Int64(fault.column))),
            ("width", .integer(Int64(fault.width))), ("notes", .list([])),
            ("help", .list([.text(fault.help)])),
        ])
    }
}
