// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import CurfewValues
package import Scheduling

/// The factors of the machine that services of the system's bus know: UPower, login1, NetworkManager,
/// power-profiles-daemon. What no service knows is left to the sources before it.
package final class BusFactors: FactorSource {
    private let thresholds = Locked(MachineThresholds())
    private let now: @Sendable () -> Int64
    private let readings = Locked(BusReadings())

    /// - Parameter now: the machine's clock, nanoseconds since 1970 in UTC.
    package init(now: @escaping @Sendable () -> Int64 = { csys_realtime_ns() }) {
        self.now = now
    }

    /// Judges what the services say by these thresholds from now on.
    package func setThresholds(_ new: MachineThresholds) { thresholds.withLock { $0 = new } }

    package var factors: Set<Factor> { BusReadings.factors }

    package func read() -> [Factor: FactorReading] {
        readings.withLock { $0 }.factors(thresholds.withLock { $0 }, at: now())
    }

    /// Changes what the services say. Returns whether that is something else than before.
    func change(_ body: (inout BusReadings) -> Void) -> Bool {
        readings.withLock { readings in
            let before = readings
            body(&readings)
            return readings != before
        }
    }
}
