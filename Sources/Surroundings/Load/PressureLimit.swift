// SPDX-License-Identifier: Apache-2.0

/// Percent of the time that may be spent waiting for one thing.
package struct PressureLimit: Hashable, Sendable {
    /// The limit for the average of ten seconds.
    package var tenSeconds: Double
    /// The limit for the average of a minute.
    package var minute: Double

    package init(tenSeconds: Double, minute: Double) {
        self.tenSeconds = tenSeconds
        self.minute = minute
    }
}
