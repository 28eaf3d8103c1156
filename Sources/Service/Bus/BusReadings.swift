// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// What the services of the system's bus say of the machine; nil where none does.
///
/// A factor of which they know too little is left to other sources.
struct BusReadings: Hashable, Sendable {
    /// UPower: the machine runs on a battery.
    var isOnBattery: Bool?
    /// UPower: all batteries together.
    var battery: Battery?
    /// power-profiles-daemon: the active profile.
    var profile: Profile?
    /// NetworkManager: how far the network leads.
    var connectivity: Connectivity?
    /// login1: whether a session is in use.
    var idle: Idle?

    struct Battery: Hashable {
        /// UpDeviceState is `discharging`.
        let isDischarging: Bool
        /// Percent, 0…100.
        let charge: Int
        /// UpDeviceLevel is at least `low`.
        let isLow: Bool

        /// - Parameters:
        ///   - state: UpDeviceState.
        ///   - charge: percent; untrusted.
        ///   - warning: UpDeviceLevel.
        init?(state: UInt32, charge: Double, warning: UInt32) {
            guard (0...100).contains(charge) else { return nil }
            isDischarging = state == 2
            self.charge = Int(charge.rounded(.down))
            isLow = (3...5).contains(warning)
        }
    }

    enum Profile: String {
        case saving = "power-saver"
        case balanced
        case performance
    }

    /// NMConnectivityState.
    enum Connectivity: UInt32 {
        case none = 1
        case portal = 2
        case limited = 3
        case full = 4
    }

    enum Idle: Hashable {
        case used
        /// No session has been in use since that date, in nanoseconds since 1970 in UTC; nil if login1 has no date.
        case since(Int64?)
    }

    /// The services that can make a factor known.
    static let factors: Set<Factor> = [
        .externalPower, .battery, .lowPowerMode, .network, .idle,
    ]

    /// Returns the factors that are known.
    ///
    /// - Parameter now: nanoseconds since 1970 in UTC.
    func factors(_ thresholds: MachineThresholds, at now: Int64) -> [Factor: FactorReading] {
        var found: [Factor: FactorReading] = [:]
        if let isOnBattery {
            let charge = isOnBattery ? battery.map { ", \($0.charge) %" } ?? "" : ""
            found[.externalPower] = FactorReading(
                isOnBattery ? .no : .yes, source: "UPower",
                detail: isOnBattery ? "on battery\(charge)" : "not on battery")
        }
        if let battery {
            let isEmpty = battery.isLow || battery.charge < thresholds.lowBattery
            found[.battery] = FactorReading(
                isEmpty && battery.isDischarging ? .no : .yes, source: "UPower",
                detail:
                    "\(battery.charge) %, \(battery.isDischarging ? "discharging" : "not discharging")"
            )
        }
        if let profile {
            found[.lowPowerMode] = FactorReading(
                profile == .saving ? .no : .yes, source: "power-profiles-daemon",
                detail: "the profile is \(profile.rawValue)")
        }
        found[.network] = network
        if let idle { found[.idle] = reading(idle, thresholds, now) }
        return found
    }

    /// Where it knows of no way out, others than NetworkManager may care for the network, and a network without
    /// the Internet may have what a task needs: the kernel's routes tell.
    private var network: FactorReading? {
        switch connectivity {
        case nil, .some(.none), .limited: nil
        case .portal:
            FactorReading(
                .no, source: "NetworkManager", detail: "behind a portal that asks for a login")
        case .full: FactorReading(.yes, source: "NetworkManager", detail: "full connectivity")
        }
    }

    private func reading(
        _ idle: Idle, _ thresholds: MachineThresholds, _ now: Int64
    ) -> FactorReading {
        guard case .since(let date) = idle else {
            return FactorReading(.no, source: "login1", detail: "a session is in use")
        }
        guard let date else {
            return FactorReading(.yes, source: "login1", detail: "no session is in use")
        }
        let (past, isLong) = now.subtractingReportingOverflow(date)
        let span = isLong ? (date < 0 ? UInt64(Int64.max) : 0) : UInt64(max(past, 0))
        return FactorReading(
            span >= thresholds.idleAfter.inNanoseconds ? .yes : .no, source: "login1",
            detail: "no session is in use for \(SpanText(nanoseconds: span))")
    }
}
