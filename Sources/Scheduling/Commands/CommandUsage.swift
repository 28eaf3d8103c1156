// SPDX-License-Identifier: Apache-2.0

/// The resources that a program used, with all that it started.
package struct CommandUsage: Hashable, Sendable {
    /// Nanoseconds of processor time, in the program and in the kernel.
    package var user: UInt64 = 0
    package var system: UInt64 = 0
    /// The most bytes of memory that one of its processes had.
    package var memory: UInt64 = 0
    /// Bytes read from storage, and written to it.
    package var read: UInt64 = 0
    package var written: UInt64 = 0

    package init() {}

    package var processorTime: UInt64 { user &+ system }

    /// For a line of the log.
    package var text: String {
        let milliseconds = processorTime / 1_000_000
        let fraction = String(milliseconds % 1_000)
        let digits = String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
        return "\(milliseconds / 1_000).\(digits) s of processor time,"
            + " at most \(CommandUsage.size(memory)) of memory,"
            + " \(CommandUsage.size(read)) read, \(CommandUsage.size(written)) written"
    }

    private static func size(_ bytes: UInt64) -> String {
        if bytes < 1 << 10 { return "\(bytes) B" }
        if bytes < 1 << 20 { return "\(bytes >> 10) KiB" }
        return "\(bytes >> 20) MiB"
    }
}
