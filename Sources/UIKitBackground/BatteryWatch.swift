// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// The battery as an app sees it while it monitors it.
final class BatteryWatch: Sendable {
    private struct State {
        var isEnabled = false
        var isObserved = false
        var last = BatteryReading()
        var alarm: BackgroundAlarm?
    }

    /// The level is read this often, in nanoseconds: Apple posts its changes once a minute at most.
    private static let interval: UInt64 = 60_000_000_000

    private let state = Locked(State())
    private let clock = BackgroundExecution.current.clock

    var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            // The alarm that is replaced is let go of outside of the lock.
            let (isFirst, old) = state.withLock { state -> (Bool, BackgroundAlarm?) in
                let old = state.alarm
                state.alarm = nil
                state.isEnabled = newValue
                defer { state.isObserved = state.isObserved || newValue }
                return (newValue && !state.isObserved, old)
            }
            _ = old
            guard newValue else { return }
            if isFirst {
                AppHost.shared.observeFactors { factor, _ in
                    if ["battery", "external-power"].contains(factor) { self.look() }
                }
            }
            let now = Self.read()
            state.withLock { $0.last = now }
            wait()
        }
    }

    /// The current reading; unknown while monitoring is off.
    var reading: BatteryReading { isEnabled ? Self.read() : BatteryReading() }

    private func wait() {
        let alarm = clock.wake(at: clock.now + Self.interval) { [weak self] in
            self?.look()
            self?.wait()
        }
        let unused = state.withLock { state -> BackgroundAlarm? in
            guard state.isEnabled else { return alarm }
            let old = state.alarm
            state.alarm = alarm
            return old
        }
        _ = unused
    }

    /// Posts what has changed.
    private func look() {
        let now = Self.read()
        let before = state.withLock { state -> BatteryReading? in
            guard state.isEnabled else { return nil }
            defer { state.last = now }
            return state.last
        }
        guard let before else { return }
        if before.level != now.level { post(UIDevice.batteryLevelDidChangeNotification) }
        if before.state != now.state { post(UIDevice.batteryStateDidChangeNotification) }
    }

    private func post(_ name: NSNotification.Name) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: name, object: UIDevice.current)
        }
    }

    private static func read() -> BatteryReading {
        let host = AppHost.shared
        return BatteryReading(
            detail: host.factorDetail(Int32(CURFEW_FACTOR_BATTERY)).detail,
            isPluggedIn: host.factor(Int32(CURFEW_FACTOR_EXTERNAL_POWER)) == .yes)
    }
}
