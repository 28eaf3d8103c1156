// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

extension ProcessInfo {
    /// The thermal state of the machine.
    public enum ThermalState: Int, Sendable {
        /// No thermal limit is reached.
        case nominal = 0
        /// Warm: what can wait should.
        case fair = 1
        /// Hot: the machine slows down, and nothing is launched in the background.
        case serious = 2
        /// The machine is about to protect itself.
        case critical = 3
    }

    /// The thermal state, by the machine's sensors or as the host was told; nominal if unknown. The
    /// first read starts the posting of `thermalStateDidChangeNotification`.
    public var thermalState: ThermalState {
        MachineWatch.shared.watchHeat()
        return MachineWatch.heat
    }

    /// `thermalState` has gone from one that allows work in the background to one that does not, or
    /// back. Posted on a queue of the system's, with the `ProcessInfo` as its object, once
    /// `thermalState` has been read.
    public class var thermalStateDidChangeNotification: NSNotification.Name {
        NSNotification.Name("NSProcessInfoThermalStateDidChangeNotification")
    }
}

extension ProcessInfo.ThermalState {
    /// From what the host says. Its own sensors' detail begins with the level; who sets the factor by
    /// hand says only whether it is too hot.
    init(_ state: AppFactorState, detail: String) {
        let level: ProcessInfo.ThermalState? =
            switch detail.prefix(while: { $0 != ":" }) {
            case "nominal": .nominal
            case "fair": .fair
            case "serious": .serious
            case "critical": .critical
            default: nil
            }
        switch state {
        case .no: self = level.map { max($0.rawValue, 2) == 3 ? .critical : .serious } ?? .serious
        case .yes: self = level == .fair ? .fair : .nominal
        case .unknown: self = .nominal
        }
    }
}
