// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Whether the machine is too hot: /sys/class/thermal.
///
/// The level of a zone depends on the distance to its own trip points, since disks and processors
/// tolerate different temperatures. The hottest zone counts; serious and critical allow no
/// launches. The levels are remembered between readings as a hysteresis.
package final class ThermalSource: FactorSource {
    private let directory: String
    /// The levels by the zones' paths.
    private let levels = Locked<[String: ThermalLevel]>([:])

    /// - Parameter sys: where sysfs is.
    package init(sys: String = "/sys") { directory = sys + "/class/thermal" }

    package var factors: Set<Factor> { [.thermal] }

    /// The maximum number of zones that are read.
    private static let most = 128

    package func read() -> [Factor: FactorReading] {
        do {
            let names = try Directory(directory).names().filter { $0.hasPrefix("thermal_zone") }
            return [.thermal: reading(names.prefix(Self.most).map { "\(directory)/\($0)" })]
        } catch {
            let detail =
                error.isMissing ? "the machine has no thermal zones" : error.description
            return [.thermal: unknown(detail)]
        }
    }

    private func reading(_ paths: [String]) -> FactorReading {
        var zones: [ThermalZone] = []
        var fault: FileFault?
        for path in paths {
            do {
                if let zone = try ThermalZone(path: path) { zones.append(zone) }
            } catch {
                // The sensor of what is switched off has no temperature.
                fault = fault ?? error
            }
        }
        guard let (zone, level) = hottest(zones) else {
            return unknown(
                fault?.description
                    ?? (paths.isEmpty
                        ? "the machine has no thermal zones"
                        : "no thermal zone has trip points to compare with"))
        }
        return FactorReading(
            level >= .serious ? .no : .yes, source: Shown.text(zone.path),
            detail: "\(level.name): \(zone.description)")
    }

    /// The zone of the highest level, and of those the one nearest to a trip point.
    private func hottest(_ zones: [ThermalZone]) -> (ThermalZone, ThermalLevel)? {
        levels.withLock { levels in
            var now: [String: ThermalLevel] = [:]
            for zone in zones {
                now[zone.path] = ThermalLevel(
                    zone.temperature, trips: zone.trips, before: levels[zone.path])
            }
            levels = now
            return zones.map { ($0, now[$0.path] ?? .nominal) }
                .max { a, b in (a.1, -a.0.distance) < (b.1, -b.0.distance) }
        }
    }

    private func unknown(_ detail: String) -> FactorReading {
        FactorReading(.unknown, source: Shown.text(directory), detail: detail)
    }
}

extension ThermalZone {
    /// Thousandths of a degree to the first trip point; below 0 beyond it.
    fileprivate var distance: Int {
        (trips.map(\.temperature).min() ?? TripPoint.plausible.upperBound) - temperature
    }
}
