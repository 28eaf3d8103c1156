// SPDX-License-Identifier: Apache-2.0

/// A span that a pending request waits, as it was measured: by the clock of spans, which nobody can
/// set. The request's date is computed from it, and again where the clock of dates was set.
public struct Pause: Hashable, Sendable {
    /// The kernel's id of the boot that the clock counts from.
    public var boot: String
    /// When it began, in nanoseconds on that clock.
    public var begun: UInt64
    /// Nanoseconds.
    public var length: UInt64

    /// A pause from `begun` on.
    public init(boot: String, begun: UInt64, length: UInt64) {
        self.boot = boot
        self.begun = begun
        self.length = length
    }

    /// Nanoseconds that are left of it. Nil: the machine was started anew since, and nobody can tell.
    public func left(at span: UInt64, boot: String) -> UInt64? {
        guard boot == self.boot, span >= begun else { return nil }
        let passed = span - begun
        return passed < length ? length - passed : 0
    }
}
