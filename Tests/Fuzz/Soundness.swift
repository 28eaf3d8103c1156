// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// What must hold of faults, whatever the text.
enum Soundness {
    /// Traps unless there is a fault, each has its place inside the text, and all can be printed
    /// in a bounded number of lines.
    static func check(_ faults: [Diagnostic], in bytes: [UInt8]) {
        precondition(!faults.isEmpty && faults.count <= 101)
        var lines = 1
        for byte in bytes where byte == UInt8(ascii: "\n") { lines += 1 }
        for fault in faults {
            precondition((0...lines).contains(fault.line))
            precondition(fault.column <= bytes.count + 1)
            let shown = fault.rendered
            precondition(shown.utf8.count < 8_192)
            precondition(!shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
            precondition(!fault.rule.isEmpty && !fault.help.isEmpty)
        }
    }
}
