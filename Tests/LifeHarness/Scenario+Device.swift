// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import Foundation
import FoundationBackground
import TestSupport
import UIKitBackground

/// Scenes, and what an app sees of the machine.
extension Scenario {
    // MARK: Scenes

    static func scenes() {
        active.wait("active")
        settle()
        let scene = onMain { application.connectedScenes.first as? UIWindowScene }
        say("scene \(scene?.title ?? "none"), \(application.connectedScenes.count)")
        enterBackground()
        say("\(onMain { scene?.activationState ?? .unattached })")
        enterForeground()
        kill(getpid(), SIGTERM)
        Signal().wait("its end")
    }

    /// Every app has a scene, with a delegate or without.
    static func sceneless() {
        // The main thread serves its queue when the app has been launched.
        settle()
        let scene = application.connectedScenes.first
        say("\(scene?.activationState ?? .unattached), delegate \(scene?.delegate != nil)")
    }

    // MARK: The machine

    private static func set(_ factor: Int, _ state: Int, _ detail: String) {
        guard let host = AppHost.shared.host else { return say("no host") }
        _ = curfew_host_override_factor(host, Int32(factor), Int32(state), detail, nil)
    }

    /// Returns when the events of what was set before have been delivered: they come in order.
    private static func deliver() {
        let delivered = Signal()
        Notes.on(UIApplication.protectedDataWillBecomeUnavailableNotification) { delivered.send() }
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_NO, "locked")
        delivered.wait("the delivery of events")
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_YES, "unlocked")
    }

    static func protectedData() {
        start()
        let posted = Signal()
        for name in [
            UIApplication.protectedDataDidBecomeAvailableNotification,
            UIApplication.protectedDataWillBecomeUnavailableNotification,
        ] {
            Notes.on(name) {
                say("note \(name.rawValue) \(thread)")
                posted.send()
            }
        }
        say("\(application.isProtectedDataAvailable)")
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_NO, "locked")
        posted.wait("the lock")
        say("\(application.isProtectedDataAvailable)")
        // Unknown is as good as yes, and then nothing changes.
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_UNKNOWN, "nobody knows")
        posted.wait("the unlock")
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_YES, "unlocked")
        set(CURFEW_FACTOR_FIRST_UNLOCK, CURFEW_FACTOR_VALUE_NO, "locked")
        posted.wait("the second lock")
    }

    static func memoryWarning() {
        start()
        let posted = Signal()
        Notes.on(UIApplication.didReceiveMemoryWarningNotification) {
            say("note \(thread)")
            posted.send()
        }
        _ = AppHost.shared.host
        // Other things that are short are no matter of this app's.
        set(CURFEW_FACTOR_PRESSURE, CURFEW_FACTOR_VALUE_NO, "processors were waited for")
        deliver()
        set(CURFEW_FACTOR_PRESSURE, CURFEW_FACTOR_VALUE_YES, "memory 1.0 %")
        set(CURFEW_FACTOR_PRESSURE, CURFEW_FACTOR_VALUE_NO, "memory were waited for in 30.0 %")
        posted.wait("the warning")
        settle()
    }

    static func battery() {
        start()
        let device = UIDevice.current
        let posted = Signal()
        for name in [
            UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification,
        ] {
            Notes.on(name) {
                say("note \(name.rawValue) \(thread)")
                posted.send()
            }
        }
        set(CURFEW_FACTOR_EXTERNAL_POWER, CURFEW_FACTOR_VALUE_NO, "on battery")
        set(CURFEW_FACTOR_BATTERY, CURFEW_FACTOR_VALUE_YES, "BAT0 discharging, 50 %")
        deliver()
        say("\(device.isBatteryMonitoringEnabled) \(device.batteryState) \(device.batteryLevel)")
        device.isBatteryMonitoringEnabled = true
        say("\(device.batteryState) \(device.batteryLevel)")
        // The level is looked at once a minute.
        set(CURFEW_FACTOR_BATTERY, CURFEW_FACTOR_VALUE_YES, "BAT0 discharging, 25 %")
        pass(59)
        say("59 s later")
        pass(1)
        posted.wait("the level")
        say("\(device.batteryState) \(device.batteryLevel)")
        // A change of the factor is looked at as soon as it comes.
        set(CURFEW_FACTOR_BATTERY, CURFEW_FACTOR_VALUE_YES, "BAT0 charging, 25 %")
        set(CURFEW_FACTOR_EXTERNAL_POWER, CURFEW_FACTOR_VALUE_YES, "AC is online")
        posted.wait("the power")
        say("\(device.batteryState) \(device.batteryLevel)")
        device.isBatteryMonitoringEnabled = false
        set(CURFEW_FACTOR_BATTERY, CURFEW_FACTOR_VALUE_NO, "BAT0 discharging, 5 %")
        pass(60)
        say("\(device.batteryState) \(device.batteryLevel)")
    }
}
