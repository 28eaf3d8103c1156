// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

extension ProcessInfo {
    /// Whether the machine saves power, by its platform profile or as the host was told. False if
    /// unknown.
    public var isLowPowerModeEnabled: Bool {
        MachineWatch.shared.watchPower()
        return MachineWatch.savesPower
    }
}

extension NSNotification.Name {
    /// `ProcessInfo.isLowPowerModeEnabled` has changed. Posted on a queue of the system's, with the
    /// `ProcessInfo` as its object, from the first use of either on.
    public static let NSProcessInfoPowerStateDidChange: NSNotification.Name = {
        MachineWatch.shared.watchPower()
        return NSNotification.Name("NSProcessInfoPowerStateDidChangeNotification")
    }()
}
