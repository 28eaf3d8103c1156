// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The heat of a part of the machine, in terms of Apple's thermal states.
enum ThermalLevel: Int, Comparable, KebabCased {
    case nominal, fair, serious, critical

    static func < (a: ThermalLevel, b: ThermalLevel) -> Bool { a.rawValue < b.rawValue }

    /// Thousandths of a degree before the point at which the kernel throttles.
    static let nearPassive = 10_000
    /// Before a point at which it switches the machine off, or is about to.
    static let nearEnd = 10_000
    static let veryNearEnd = 5_000
    static let fairlyNearEnd = 20_000
    /// A level is left when it is this much cooler than where it begins.
    static let hysteresis = 3_000

    /// - Parameters:
    ///   - temperature: thousandths of a degree Celsius.
    ///   - trips: of the same zone.
    init(_ temperature: Int, trips: [TripPoint]) {
        self = trips.map { ThermalLevel(temperature, trip: $0) }.max() ?? .nominal
    }

    private init(_ temperature: Int, trip: TripPoint) {
        let distance = trip.temperature - temperature
        switch trip.kind {
        case .passive:
            self = distance <= 0 ? .serious : distance <= Self.nearPassive ? .fair : .nominal
        case .hot, .critical:
            if distance <= (trip.kind == .hot ? 0 : Self.veryNearEnd) {
                self = .critical
            } else if distance <= Self.nearEnd {
                self = .serious
            } else {
                self = distance <= Self.fairlyNearEnd ? .fair : .nominal
            }
        }
    }

    /// The level after `before`: it rises at once, and falls when it is clearly cooler.
    init(_ temperature: Int, trips: [TripPoint], before: ThermalLevel?) {
        let now = ThermalLevel(temperature, trips: trips)
        guard let before, before > now else {
            self = now
            return
        }
        self = min(before, ThermalLevel(temperature + Self.hysteresis, trips: trips))
    }
}
