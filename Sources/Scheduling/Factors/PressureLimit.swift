// SPDX-License-Identifier: Apache-2.0

/// The greatest share of the time that may be spent waiting for one thing, in percent, 0…100.
///
/// A machine that exceeds one of the two is overloaded: the short average notices a burst, and the
/// long one lets it be over only when it really is. 100 is never exceeded.
public struct PressureLimit: Hashable, Sendable {
    /// The limit of the average of ten seconds.
    public var tenSeconds: Double
    /// The limit of the average of a minute.
    public var minute: Double

    /// Creates a limit.
    public init(tenSeconds: Double, minute: Double) {
        self.tenSeconds = tenSeconds
        self.minute = minute
    }
}
