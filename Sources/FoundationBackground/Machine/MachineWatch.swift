// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Dispatch
import Foundation

/// Posts changes of the machine, once there is an observer.
final class MachineWatch: Sendable {
    private struct State {
        var savesPower: Bool?
        var heat: ProcessInfo.ThermalState?
    }

    static let shared: MachineWatch = {
        let watch = MachineWatch()
        AppHost.shared.observeFactors { watch.changed($0, $1) }
        return watch
    }()

    private let state = Locked(State())

    static var savesPower: Bool {
        AppHost.shared.factor(Int32(CURFEW_FACTOR_LOW_POWER_MODE)) == .no
    }

    static var heat: ProcessInfo.ThermalState {
        let (state, detail) = AppHost.shared.factorDetail(Int32(CURFEW_FACTOR_THERMAL))
        return ProcessInfo.ThermalState(state, detail: detail)
    }

    /// From now on a change of the power state is posted.
    func watchPower() {
        let now = Self.savesPower
        state.withLock { $0.savesPower = $0.savesPower ?? now }
    }

    /// From now on a change of the heat is posted.
    func watchHeat() {
        let now = Self.heat
        state.withLock { $0.heat = $0.heat ?? now }
    }

    /// The event's state counts, not the current one.
    private func changed(_ factor: String, _ factorState: AppFactorState) {
        switch factor {
        case "low-power-mode":
            let now = factorState == .no
            if changes({ $0.savesPower }, { $0.savesPower = $1 }, now) {
                post(.NSProcessInfoPowerStateDidChange)
            }
        case "thermal":
            let detail = AppHost.shared.factorDetail(Int32(CURFEW_FACTOR_THERMAL)).detail
            let now = ProcessInfo.ThermalState(factorState, detail: detail)
            if changes({ $0.heat }, { $0.heat = $1 }, now) {
                post(ProcessInfo.thermalStateDidChangeNotification)
            }
        default: break
        }
    }

    /// True where it is watched, and is another now.
    private func changes<Value: Equatable>(
        _ read: (State) -> Value?, _ write: (inout State, Value) -> Void, _ now: Value
    ) -> Bool {
        state.withLock { state in
            guard let before = read(state), before != now else { return false }
            write(&state, now)
            return true
        }
    }

    private func post(_ name: NSNotification.Name) {
        DispatchQueue.global().async {
            NotificationCenter.default.post(name: name, object: ProcessInfo.processInfo)
        }
    }
}
