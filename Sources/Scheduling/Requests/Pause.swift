// SPDX-License-Identifier: Apache-2.0

/// A span that a pending request waits, measured by the monotonic clock of spans. The request's
/// date is computed from it, and computed again when the wall clock is set.
package struct Pause: Hashable, Sendable {
    /// The kernel's id of the boot in which the pause began.
    package var boot: String
    /// The begin, in nanoseconds on the clock of spans.
    package var begun: UInt64
    /// The length in nanoseconds.
    package var length: UInt64

    package init(boot: String, begun: UInt64, length: UInt64) {
        self.boot = boot
        self.begun = begun
        self.length = length
    }

    /// Returns the remaining nanoseconds; nil if the machine was rebooted since, so that they are
    /// unknown.
    package func left(at span: UInt64, boot: String) -> UInt64? {
        guard boot == self.boot, span >= begun else { return nil }
        let passed = span - begun
        return passed < length ? length - passed : 0
    }
}
