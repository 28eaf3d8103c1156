// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@testable import Service

@Suite("What services of the system's bus say")
struct BusReadingsTests {
    private static let hour: Int64 = 3_600_000_000_000

    private func states(_ change: (inout BusReadings) -> Void) -> [Factor: FactorState] {
        var readings = BusReadings()
        change(&readings)
        return readings.factors(MachineThresholds(), at: Self.hour).mapValues(\.state)
    }

    @Test("Nothing is known of what no service says")
    func nothing() {
        #expect(states { _ in }.isEmpty)
        #expect(states { $0.connectivity = BusReadings.Connectivity.none }.isEmpty)
        #expect(states { $0.connectivity = .limited }.isEmpty)
    }

    @Test("A battery that is nearly empty and discharges holds, by charge or by UPower's warning")
    func battery() {
        func state(_ state: UInt32, _ charge: Double, _ warning: UInt32) -> FactorState? {
            states {
                $0.battery = BusReadings.Battery(state: state, charge: charge, warning: warning)
            }[.battery]
        }
        #expect(state(2, 20, 1) == .yes)
        #expect(state(2, 19.99, 1) == .no)
        #expect(state(2, 50, 3) == .no)
        #expect(state(1, 3, 4) == .yes)
        for charge in [-1, 100.5, .nan, .infinity] { #expect(state(2, charge, 1) == nil) }
        #expect(state(99, 10, 77) == .yes)
    }

    @Test("Idle counts from the threshold on; a date in the future is now")
    func idle() {
        let after = Int64(300) * 1_000_000_000
        #expect(states { $0.idle = .used }[.idle] == .no)
        #expect(states { $0.idle = .since(nil) }[.idle] == .yes)
        #expect(states { $0.idle = .since(Self.hour - after) }[.idle] == .yes)
        #expect(states { $0.idle = .since(Self.hour - after + 1) }[.idle] == .no)
        #expect(states { $0.idle = .since(.max) }[.idle] == .no)
        #expect(states { $0.idle = .since(.min) }[.idle] == .yes)
    }

    @Test("The profile that saves power holds, and no other")
    func profile() {
        #expect(states { $0.profile = .saving }[.lowPowerMode] == .no)
        #expect(states { $0.profile = .performance }[.lowPowerMode] == .yes)
        #expect(BusReadings.Profile(rawValue: "turbo") == nil)
    }
}
