// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The machine's batteries, from /sys/class/power_supply or as the host was told.
extension UIDevice {
    /// The state of a battery.
    public enum BatteryState: Int, Sendable {
        /// Monitoring is off, or there is no battery.
        case unknown = 0
        /// The machine runs on it.
        case unplugged = 1
        /// The machine is plugged in, and it is not full.
        case charging = 2
        /// The machine is plugged in, and it is full.
        case full = 3
    }

    private static let battery = BatteryWatch()

    /// Whether `batteryState` and `batteryLevel` are known, and their changes posted. False by default.
    public var isBatteryMonitoringEnabled: Bool {
        get { Self.battery.isEnabled }
        set { Self.battery.isEnabled = newValue }
    }

    /// The state of the battery; `unknown` while it is not monitored.
    public var batteryState: BatteryState { Self.battery.reading.state }

    /// The charge of the battery, from 0 to 1; -1 if unknown; the mean of several batteries.
    public var batteryLevel: Float { Self.battery.reading.level }

    /// `batteryState` has changed. Posted on the main thread while the battery is monitored.
    public class var batteryStateDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
    }

    /// `batteryLevel` has changed. Posted on the main thread while the battery is monitored, once a
    /// minute at most.
    public class var batteryLevelDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")
    }
}
