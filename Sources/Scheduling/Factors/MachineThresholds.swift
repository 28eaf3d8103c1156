// SPDX-License-Identifier: Apache-2.0

/// From when on a machine counts as idle, as overloaded, and as short of power.
///
/// Only requests that wait for an idle or a calm machine depend on this.
public struct MachineThresholds: Hashable, Sendable {
    /// The time without a key at any terminal after which the machine is idle; by default 5 min.
    public var idleAfter = Duration.seconds(300)
    /// The percentage below which a battery that is not charging is nearly empty. The default is
    /// that of desktops and of Apple's low power mode: 20.
    public var lowBattery = 20
    /// Some task waits for a processor. That is normal where a build uses all of them, and then one
    /// more task would make others wait: by default 80 % of ten seconds, 60 % of a minute.
    public var processorPressure = PressureLimit(tenSeconds: 80, minute: 60)
    /// All tasks wait for memory at once. A machine that swaps is unusable at a few percent, and
    /// systemd-oomd begins to kill at 60 %: by default 20 % of ten seconds, 10 % of a minute.
    public var memoryPressure = PressureLimit(tenSeconds: 20, minute: 10)
    /// All tasks wait for disks at once. One backup on a machine that does nothing else comes to
    /// half of that: by default 80 % of ten seconds, 60 % of a minute.
    public var diskPressure = PressureLimit(tenSeconds: 80, minute: 60)

    /// Creates the default thresholds.
    public init() {}

    /// A message saying which value is out of range, or nil.
    package var fault: String? {
        if !(0...100).contains(lowBattery) {
            return "low_battery is \(lowBattery); it must be at most 100"
        }
        for (name, limit) in [
            ("processor", processorPressure), ("memory", memoryPressure), ("disk", diskPressure),
        ] {
            for (time, percent) in [("10s", limit.tenSeconds), ("60s", limit.minute)]
            where !(0...100).contains(percent) {
                return "\(name)_pressure_\(time) is \(percent); it must be at most 100"
            }
        }
        return nil
    }
}
