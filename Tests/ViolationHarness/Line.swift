// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc

/// The plugin's line to the harness: `violation_line` of Tests/Plugins/violations/violation.h.
struct Line {
    var note: @convention(c) (UnsafePointer<CChar>, Int64) -> Void
    var wait: @convention(c) (UnsafePointer<CChar>) -> Void
    var table: UnsafePointer<curfew_host_api>?

    /// Puts its address where the plugins look for it; it stays there for good.
    static func lay(_ table: UnsafePointer<curfew_host_api>?) {
        let line = UnsafeMutablePointer<Line>.allocate(capacity: 1)
        line.initialize(
            to: Line(
                note: { Record.shared.note(String(cString: $0), $1) },
                wait: { Record.shared.wait(gate: String(cString: $0)) }, table: table))
        setenv("CURFEW_MISDEED_LINE", String(UInt(bitPattern: line)), 1)
    }
}
