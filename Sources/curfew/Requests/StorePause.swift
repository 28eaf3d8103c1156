// SPDX-License-Identifier: Apache-2.0

/// How long a reader waits before it looks at a store again.
///
/// The notification of a change comes with the write to the log, and readers see the change once that is on the
/// disk: from 1 ms on it looks again, in pauses that double up to a second.
struct StorePause {
    private static let longest: UInt64 = 1_000_000_000
    private var span = Self.longest

    /// A change was notified.
    mutating func begin() { span = 1_000_000 }

    /// Returns the nanoseconds of the next pause.
    mutating func next() -> UInt64 {
        defer { span = min(2 * span, Self.longest) }
        return span
    }
}
