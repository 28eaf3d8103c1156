// SPDX-License-Identifier: Apache-2.0
import PluginBridge

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
