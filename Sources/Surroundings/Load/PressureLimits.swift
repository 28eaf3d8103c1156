// SPDX-License-Identifier: Apache-2.0

/// The share of waiting time, in percent, that counts as an overload. Exceeding one limit is
/// enough.
///
/// A short average notices a burst, a long one lets it be over only when it really is. The defaults:
package struct PressureLimits: Hashable, Sendable {
    /// Some task waits for a processor. Normal where a build uses all of them, and then one more
    /// task would make others wait: 80 % of ten seconds, 60 % of a minute.
    package var processor: PressureLimit
    /// All tasks wait for memory at once. A machine that swaps is unusable at a few percent, and
    /// systemd-oomd begins to kill at 60 %: 20 % of ten seconds, 10 % of a minute.
    package var memory: PressureLimit
    /// All tasks wait for disks at once. One backup on a machine that does nothing else comes to
    /// half of that: 80 % of ten seconds, 60 % of a minute.
    package var disks: PressureLimit

    package init(
        processor: PressureLimit = PressureLimit(tenSeconds: 80, minute: 60),
        memory: PressureLimit = PressureLimit(tenSeconds: 20, minute: 10),
        disks: PressureLimit = PressureLimit(tenSeconds: 80, minute: 60)
    ) {
        self.processor = processor
        self.memory = memory
        self.disks = disks
    }
}

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
