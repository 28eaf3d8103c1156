// SPDX-License-Identifier: Apache-2.0

/// Percent of the time that may be spent waiting for one thing.
public struct PressureLimit: Hashable, Sendable {
    /// The limit for the average of ten seconds.
    public var tenSeconds: Double
    /// The limit for the average of a minute.
    public var minute: Double

    public init(tenSeconds: Double, minute: Double) {
        self.tenSeconds = tenSeconds
        self.minute = minute
    }
}
